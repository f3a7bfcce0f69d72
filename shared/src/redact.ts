/**
 * Takes secrets out of text that people read: step output, errors, container logs. Every secret is looked for as it is
 * and in the forms that programs print it in (URL-encoded, JSON-escaped, base64), the longest first.
 */
export const REDACTED = "[REDACTED]";

/** Shorter values are replaced as whole words only: `1` must not eat every digit (issue of readability, not of safety). */
const WHOLE_WORD_BELOW = 4;
/** API keys and join tokens of the platform, whoever they belong to (specification, Start, stop, restart, logs). */
const PLATFORM_KEYS = /svc(?:join)?_[A-Za-z0-9_-]{16,}(?:\.[0-9a-f]{64})?/g;
/** The longest form of a platform key, for the window at the end of an unfinished line. */
const PLATFORM_KEY_LENGTH_MAX = 160;

/** How much of a longer needle finds it; the rest is compared where this matches. */
const PREFIX_LENGTH = 16;

/**
 * Looks for all secrets at once: what is done per character of the text does not grow with their number (an app may have
 * thousands of lines of secrets), only with the number of different lengths below the prefix.
 */
export class Redactor {
  readonly #words: readonly string[];
  /** By length, those shorter than the prefix. */
  readonly #short = new Map<number, Set<string>>();
  /** By prefix, the longest first. */
  readonly #long = new Map<string, string[]>();
  readonly #windowLength: number;

  constructor(secrets: Iterable<string>) {
    const needles = new Set<string>();
    for (const secret of secrets) for (const form of formsOf(secret)) needles.add(form);
    this.#words = [...needles].filter((needle) => needle.length < WHOLE_WORD_BELOW);
    let longest = PLATFORM_KEY_LENGTH_MAX;
    for (const needle of [...needles].sort((a, b) => b.length - a.length)) {
      longest = Math.max(longest, needle.length);
      if (needle.length < WHOLE_WORD_BELOW) continue;
      if (needle.length < PREFIX_LENGTH) append(this.#short, needle.length, () => new Set<string>()).add(needle);
      else append(this.#long, needle.slice(0, PREFIX_LENGTH), () => [] as string[]).push(needle);
    }
    this.#windowLength = longest;
  }

  /** One complete line, or any text that does not end in the middle of a secret. */
  text(text: string): string {
    return replace(text, this.#rangesIn(text));
  }

  /** Redacts one line that arrives in pieces; see RedactingLine. */
  startLine(): RedactingLine {
    return new RedactingLine((text) => this.#rangesIn(text), this.#windowLength);
  }

  #rangesIn(text: string): Range[] {
    const ranges: Range[] = [];
    for (let start = 0; start <= text.length - WHOLE_WORD_BELOW; start++) {
      const length = this.#lengthAt(text, start);
      if (length > 0) ranges.push({ start, end: start + length });
    }
    for (const word of this.#words) {
      for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1)) {
        const end = start + word.length;
        if (isWholeWord(text, start, end)) ranges.push({ start, end });
      }
    }
    for (const match of text.matchAll(PLATFORM_KEYS)) {
      ranges.push({ start: match.index, end: match.index + match[0].length });
    }
    return merge(ranges);
  }

  /** Of the longest secret that begins there; 0 for none. */
  #lengthAt(text: string, start: number): number {
    if (this.#long.size > 0) {
      const candidates = this.#long.get(text.slice(start, start + PREFIX_LENGTH));
      const longest = candidates?.find((needle) => text.startsWith(needle, start));
      if (longest) return longest.length;
    }
    let length = 0;
    for (const [size, needles] of this.#short) {
      if (size > length && needles.has(text.slice(start, start + size))) length = size;
    }
    return length;
  }
}

function append<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/**
 * A line too long to be held: pieces go in, redacted text comes out, and the end of what was seen is held back for as
 * long as a secret could go on in the next piece. Memory is bounded by the piece and the longest secret.
 */
export class RedactingLine {
  readonly #rangesIn: (text: string) => Range[];
  readonly #windowLength: number;
  #held = "";

  constructor(rangesIn: (text: string) => Range[], windowLength: number) {
    this.#rangesIn = rangesIn;
    this.#windowLength = windowLength;
  }

  push(piece: string): string {
    const text = this.#held + piece;
    const ranges = this.#rangesIn(text);
    let cut = Math.max(0, text.length - this.#windowLength);
    for (const range of ranges) if (range.start < cut && range.end > cut) cut = range.start;
    // Never between the halves of a character outside the basic plane.
    if (isLowSurrogate(text.charCodeAt(cut))) cut = Math.max(0, cut - 1);
    this.#held = text.slice(cut);
    return replace(
      text.slice(0, cut),
      ranges.filter((range) => range.end <= cut),
    );
  }

  end(): string {
    const text = this.#held;
    this.#held = "";
    return replace(text, this.#rangesIn(text));
  }
}

interface Range {
  start: number;
  end: number;
}

function formsOf(secret: string): Set<string> {
  const values = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= WHOLE_WORD_BELOW) : [];
  const forms = new Set<string>();
  for (const value of [secret, ...values]) {
    if (value.trim() === "") continue;
    forms.add(value);
    if (value.length < WHOLE_WORD_BELOW) continue;
    forms.add(urlEncoded(value));
    forms.add(JSON.stringify(value).slice(1, -1));
    const base64 = Buffer.from(value, "utf8").toString("base64");
    forms.add(base64.replace(/=+$/, ""));
    forms.add(base64.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

/** encodeURIComponent that does not throw on a lone surrogate. */
function urlEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !/\w/.test(text[start - 1] ?? "") && !/\w/.test(text[end] ?? "");
}

/** Overlapping secrets become one range, so that no rest of either stays. */
function merge(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

function replace(text: string, ranges: readonly Range[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of ranges) {
    result += text.slice(at, start) + REDACTED;
    at = end;
  }
  return result + text.slice(at);
}
