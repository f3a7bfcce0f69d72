import { PIECE_LENGTH } from "./piece-search.ts";

/** Shorter values are replaced as whole words only: `1` must not eat every digit (issue of readability, not of safety). */
export const WHOLE_WORD_BELOW = 4;

/** Characters of a value that is looked for in more forms: what is longer is a file, and each form costs as much memory. */
const MORE_FORMS_MAX = 1024;

/** Characters of a line that is a secret of its own: the least that a password should have (NIST SP 800-63B). */
const LINE_LENGTH_MIN = 8;
/**
 * Lines of a value that are looked for, of those shorter than a piece: a longer one, as those of a key in PEM are, costs
 * little. A service account in JSON has 13; an app whose 128 values have that many costs some 400,000 characters.
 */
const SHORT_LINES_MAX = 32;

/** All that a secret is looked for as: itself in the forms that programs print it in, and its lines. */
export function formsOf(secret: string): Set<string> {
  const forms = new Set<string>();
  addForms(forms, secret);
  if (secret.length <= MORE_FORMS_MAX) {
    addForms(forms, secret.trim());
    for (const value of new Set([secret, secret.trim()])) addMoreForms(forms, value);
  }
  for (const line of linesOf(secret)) {
    forms.add(line);
    forms.add(inJson(line));
  }
  return forms;
}

/** The lines of a value of several lines that are secrets of their own. */
function linesOf(secret: string): string[] {
  if (!secret.includes("\n")) return [];
  let short = 0;
  return secret.split(/\r?\n/).filter((line) => {
    if (line.length < LINE_LENGTH_MIN || line.trim() === "") return false;
    return line.length >= PIECE_LENGTH || ++short <= SHORT_LINES_MAX;
  });
}

function addForms(forms: Set<string>, value: string): void {
  if (value.trim() === "") return;
  forms.add(value);
  if (value.length < WHOLE_WORD_BELOW) return;
  forms.add(urlEncoded(value));
  forms.add(inJson(value));
  addBase64(forms, Buffer.from(value, "utf8").toString("base64").replace(/=+$/, ""));
}

function addMoreForms(forms: Set<string>, secret: string): void {
  if (secret.trim() === "" || secret.length < WHOLE_WORD_BELOW) return;
  const bytes = Buffer.from(secret, "utf8");
  forms.add(bytes.toString("hex"));
  forms.add(bytes.toString("hex").toUpperCase());
  forms.add(urlEncoded(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  for (const before of [0, 1, 2]) addBase64(forms, base64Within(bytes, before));
  // As a form in a page sends it (application/x-www-form-urlencoded).
  forms.add(urlEncoded(secret).replaceAll("%20", "+"));
  forms.add(new URLSearchParams({ "": secret }).toString().slice("=".length));
  for (const form of literalsOf(secret)) forms.add(form);
}

/** As `json.dumps` of Python, `json_encode` of PHP, a literal in single quotes, and a word of a shell have it. */
function literalsOf(secret: string): string[] {
  const json = inJson(secret);
  const ascii = json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const inSingleQuotes = json.replaceAll(String.raw`\"`, '"');
  return [
    ascii,
    json.replaceAll("/", String.raw`\/`),
    ascii.replaceAll("/", String.raw`\/`),
    inSingleQuotes,
    inSingleQuotes.replaceAll("'", String.raw`\'`),
    secret.replaceAll("'", String.raw`'\''`),
  ];
}

/** Encodes in the alphabet of RFC 4648, section 4, and in that for addresses and file names, section 5. */
function addBase64(forms: Set<string>, base64: string): void {
  forms.add(base64);
  forms.add(base64.replaceAll("+", "-").replaceAll("/", "_"));
}

/** The characters that follow from these bytes alone in the base64 of a text in which 3n + `before` bytes come before them. */
function base64Within(bytes: Buffer, before: number): string {
  const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** encodeURIComponent that does not throw on a lone surrogate. */
function urlEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
