/** Shorter values are replaced as whole words only: `1` must not eat every digit (issue of readability, not of safety). */
export const WHOLE_WORD_BELOW = 4;

/** Characters of a value that is looked for in more forms: what is longer is a file, and each form costs as much memory. */
const MORE_FORMS_MAX = 1024;

/** A line as long as this, such as one of a key in PEM, is looked for encoded too: its base64 has a piece's length, and costs little. */
const ENCODED_LINE_MIN = 48;

/** All that a secret is looked for as: itself in the forms that programs print it in, and its lines. */
export function formsOf(secret: string): Set<string> {
  const forms = new Set<string>();
  addForms(forms, secret);
  if (secret.length <= MORE_FORMS_MAX) {
    addForms(forms, secret.trim());
    for (const value of new Set([secret, secret.trim()])) addMoreForms(forms, value);
  }
  for (const line of linesOf(secret)) {
    if (line.length >= ENCODED_LINE_MIN) addForms(forms, line);
    else forms.add(line).add(inJson(line));
  }
  return forms;
}

/** The lines of a value of several lines that are secrets of their own. */
function linesOf(secret: string): string[] {
  if (!secret.includes("\n")) return [];
  return secret.split(/\r?\n/).filter((line) => line.length >= WHOLE_WORD_BELOW && line.trim() !== "");
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
