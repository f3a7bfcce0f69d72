import { type Range, SecretSearch } from "./secret-search.ts";

/**
 * Takes secrets out of text that people read: step output, errors, container logs. Every secret is looked for as it is
 * and in the forms that programs print it in (URL-encoded, JSON-escaped, base64), the longest first. A value as people
 * choose them, of up to 1,024 characters, is found in hexadecimal, too, as literals of languages and shells have it,
 * without the blanks around it, and in the base64 of a longer text, as the header of HTTP's Basic authentication has it
 * (RFC 7617).
 */
export const REDACTED = "[REDACTED]";

/** Shorter values are replaced as whole words only: `1` must not eat every digit (issue of readability, not of safety). */
const WHOLE_WORD_BELOW = 4;
/** API keys and join tokens of the platform, whoever they belong to. */
const PLATFORM_KEYS = /svc(?:join)?_[A-Za-z0-9_-]{16,}(?:\.[0-9a-f]{64})?/g;
/** Characters that may follow the beginning of such a key. */
const PLATFORM_KEY_REST = /[A-Za-z0-9_-]*(?:\.[0-9a-f]{64})?/y;
/** The longest form of a platform key, for the window at the end of an unfinished line. */
const PLATFORM_KEY_LENGTH_MAX = 160;

/** Characters of a value that is looked for in more forms: what is longer is a file, and each form costs as much memory. */
const MORE_FORMS_MAX = 1024;

/** Looks for all secrets at once: the work grows with the text and with the secrets, never with one times the other. */
export class Redactor {
  readonly #search: SecretSearch;
  readonly #words: Set<string>;
  readonly #windowLength: number;
  /** Characters of all forms together; the search takes at most eleven bytes for each. */
  readonly size: number;

  constructor(secrets: Iterable<string>) {
    const needles = new Set<string>();
    for (const secret of secrets) for (const form of formsOf(secret)) needles.add(form);
    const isWord = (needle: string): boolean => needle.length < WHOLE_WORD_BELOW;
    this.#words = new Set([...needles].filter(isWord));
    this.#search = new SecretSearch(new Set([...needles].filter((needle) => !isWord(needle))));
    this.size = [...needles].reduce((sum, { length }) => sum + length, 0);
    this.#windowLength = PLATFORM_KEY_LENGTH_MAX;
    for (const { length } of needles) this.#windowLength = Math.max(this.#windowLength, length);
  }

  /** One complete line, or any text that does not end in the middle of a secret. */
  text(text: string): string {
    const line = this.startLine();
    return line.push(text, true);
  }

  /** Redacts one line that arrives in pieces; see RedactingLine. */
  startLine(): RedactingLine {
    return new RedactingLine(this.#search, this.#words, this.#windowLength);
  }
}

/**
 * A line too long to be held: pieces go in, redacted text comes out, and the end of what was seen is held back for as
 * long as a secret could go on in the next piece. Memory is bounded by the piece and the longest secret, also where
 * secrets overlap without an end: what is known to be secret is said once and dropped.
 */
export class RedactingLine {
  readonly #search: SecretSearch;
  readonly #words: ReadonlySet<string>;
  readonly #windowLength: number;
  /** The next part begins at `#from` of it; before that is the unit that decides whether a word begins there. */
  #held = "";
  #from = 0;
  /** How far what comes next belongs to a secret that is already replaced. */
  #hidden = 0;
  #insideKey = false;

  constructor(search: SecretSearch, words: ReadonlySet<string>, windowLength: number) {
    this.#search = search;
    this.#words = words;
    this.#windowLength = windowLength;
  }

  push(piece: string, last = false): string {
    const text = this.#held + piece;
    const from = this.#from;
    const keys = this.#keysIn(text);
    const ranges = merge([
      ...(this.#hidden > 0 ? [{ start: from, end: from + this.#hidden }] : []),
      ...this.#search.rangesIn(text, from),
      ...this.#wordsIn(text, last),
      ...keys,
    ]);
    const cut = last ? text.length : this.#cutOf(text);
    const firstIsSaid = this.#hidden > 0;
    const isSaid = (start: number): boolean => firstIsSaid && start === from;
    const result = replace(text, from, cut, ranges, firstIsSaid);

    // Where nothing new came out, what goes on still does.
    const goesOn = ({ start, end }: Range): boolean => (start < cut || isSaid(start)) && end > cut;
    const hiding = ranges.find(goesOn);
    this.#hidden = hiding ? hiding.end - cut : 0;
    this.#insideKey = keys.some((key) => goesOn(key) && cut <= key.bodyEnd);
    this.#from = Math.min(1, cut);
    this.#held = text.slice(cut - this.#from);
    return result;
  }

  end(): string {
    return this.push("", true);
  }

  /** Never between the halves of a character outside the basic plane. */
  #cutOf(text: string): number {
    const cut = Math.max(this.#from, text.length - this.#windowLength);
    return cut > this.#from && isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut;
  }

  /** A word at the end of an unfinished line may be the beginning of a longer one, which is no secret. */
  #wordsIn(text: string, last: boolean): Range[] {
    const ranges: Range[] = [];
    if (this.#words.size === 0) return ranges;
    for (let start = this.#from; start < text.length; start++) {
      if (isWordUnit(text.charCodeAt(start - 1))) continue;
      const most = Math.min(start + WHOLE_WORD_BELOW - 1, last ? text.length : text.length - 1);
      for (let end = start + 1; end <= most; end++) {
        if (isWordUnit(text.charCodeAt(end))) continue;
        if (this.#words.has(text.slice(start, end))) ranges.push({ start, end });
      }
    }
    return ranges;
  }

  #keysIn(text: string): KeyRange[] {
    const ranges: KeyRange[] = [];
    let rest = text.slice(this.#from);
    let start = this.#from;
    if (this.#insideKey) {
      PLATFORM_KEY_REST.lastIndex = 0;
      const key = PLATFORM_KEY_REST.exec(rest)?.[0] ?? "";
      ranges.push(keyRange(start, key));
      rest = rest.slice(key.length);
      start += key.length;
    }
    for (const match of rest.matchAll(PLATFORM_KEYS)) ranges.push(keyRange(start + match.index, match[0]));
    return ranges;
  }
}

interface KeyRange extends Range {
  /** The end of the part that may have any length. */
  bodyEnd: number;
}

function keyRange(start: number, key: string): KeyRange {
  const dot = key.indexOf(".");
  return { start, end: start + key.length, bodyEnd: start + (dot === -1 ? key.length : dot) };
}

function formsOf(secret: string): Set<string> {
  const lines = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= WHOLE_WORD_BELOW) : [];
  const chosen = secret.length <= MORE_FORMS_MAX ? [secret, secret.trim()] : [];
  const forms = new Set<string>();
  for (const value of [secret, ...lines, ...chosen]) addForms(forms, value);
  for (const value of chosen) addMoreForms(forms, value);
  return forms;
}

function addForms(forms: Set<string>, value: string): void {
  if (value.trim() === "") return;
  forms.add(value);
  if (value.length < WHOLE_WORD_BELOW) return;
  forms.add(urlEncoded(value));
  forms.add(JSON.stringify(value).slice(1, -1));
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
  const json = JSON.stringify(secret).slice(1, -1);
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

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** True for `\w`; nothing, before the text and after it, is none. */
function isWordUnit(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isDigit || isLetter || code === 0x5f;
}

/** Overlapping secrets become one range, so that no rest of either stays. */
function merge(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ start: range.start, end: range.end });
  }
  return merged;
}

/** The text between, with what begins there of each range; the first one may have been said before. */
function replace(text: string, from: number, to: number, ranges: readonly Range[], firstIsSaid: boolean): string {
  let result = "";
  let at = from;
  for (const [i, { start, end }] of ranges.entries()) {
    if (start >= to) break;
    result += text.slice(at, start) + (firstIsSaid && i === 0 ? "" : REDACTED);
    at = end;
  }
  return result + text.slice(at, Math.max(at, to));
}
