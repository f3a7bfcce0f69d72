import { PIECE_LENGTH, PieceSearch } from "./piece-search.ts";
import { formsOf, WHOLE_WORD_BELOW } from "./secret-forms.ts";
import { type Range, SecretSearch } from "./secret-search.ts";

/**
 * Takes secrets out of text that people read: step output, errors, container logs. Every secret is looked for as it is
 * and in the forms that programs print it in (URL-encoded, JSON-escaped, base64), the longest first. A value as people
 * choose them, of up to 1,024 characters, is found in hexadecimal, too, as literals of languages and shells have it,
 * without the blanks around it, and in the base64 of a longer text, as the header of HTTP's Basic authentication has it
 * (RFC 7617).
 *
 * A line of a value of several lines is a secret of its own from 8 characters on, as it is and JSON-escaped: each one of 64
 * characters or more, and the first 32 shorter ones. A form of 64 characters or more is hidden in part where only a part of it
 * stands (decision 034).
 */
export const REDACTED = "[REDACTED]";

/** API keys and join tokens of the platform, whoever they belong to. */
const PLATFORM_KEYS = /svc(?:join)?_[A-Za-z0-9_-]{16,}(?:\.[0-9a-f]{64})?/g;
/** Characters that may follow the beginning of such a key. */
const PLATFORM_KEY_REST = /[A-Za-z0-9_-]*(?:\.[0-9a-f]{64})?/y;
/**
 * The end of an unfinished line that is held back: the longest form of a platform key; all else is found by fewer
 * characters.
 */
const WINDOW_LENGTH = 160;

/** A redactor's searches, each for some of the forms. */
interface Searches {
  /** Forms below the length of a word's. */
  words: ReadonlySet<string>;
  short: SecretSearch;
  long: PieceSearch;
}

/** Looks for all secrets at once: the work grows with the text and with the secrets, never with one times the other. */
export class Redactor {
  readonly #searches: Searches;
  /** Bytes of memory that it takes, roughly. */
  readonly bytes: number;

  constructor(secrets: Iterable<string>) {
    const words = new Set<string>();
    const short = new Set<string>();
    const long = new Set<string>();
    for (const secret of new Set(secrets)) {
      for (const form of formsOf(secret)) {
        if (form.length < WHOLE_WORD_BELOW) words.add(form);
        else if (form.length < PIECE_LENGTH) short.add(form);
        else long.add(form);
      }
    }
    this.#searches = { words, short: new SecretSearch(short), long: new PieceSearch(long) };
    this.bytes = this.#searches.short.bytes + this.#searches.long.bytes;
  }

  /** One complete line, or any text that does not end in the middle of a secret. */
  text(text: string): string {
    const line = this.startLine();
    return line.push(text, true);
  }

  /** Redacts one line that arrives in pieces; see RedactingLine. */
  startLine(): RedactingLine {
    return new RedactingLine(this.#searches);
  }
}

/**
 * A line too long to be held: pieces go in, redacted text comes out, and the end of what was seen is held back for as
 * long as a secret could go on in the next piece. Memory is bounded by the piece and the longest secret, also where
 * secrets overlap without an end: what is known to be secret is said once and dropped.
 */
export class RedactingLine {
  readonly #searches: Searches;
  /** The next part begins at `#from` of it; before that is the unit that decides whether a word begins there. */
  #held = "";
  #from = 0;
  /** How far what comes next belongs to a secret that is already replaced. */
  #hidden = 0;
  #insideKey = false;

  constructor(searches: Searches) {
    this.#searches = searches;
  }

  push(piece: string, last = false): string {
    const text = this.#held + piece;
    const from = this.#from;
    const keys = this.#keysIn(text);
    const ranges = merge([
      ...(this.#hidden > 0 ? [{ start: from, end: from + this.#hidden }] : []),
      ...this.#searches.short.rangesIn(text, from),
      ...this.#searches.long.rangesIn(text, from),
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
    const cut = Math.max(this.#from, text.length - WINDOW_LENGTH);
    return cut > this.#from && isLowSurrogate(text.charCodeAt(cut)) ? cut - 1 : cut;
  }

  /** A word at the end of an unfinished line may be the beginning of a longer one, which is no secret. */
  #wordsIn(text: string, last: boolean): Range[] {
    const ranges: Range[] = [];
    const { words } = this.#searches;
    if (words.size === 0) return ranges;
    for (let start = this.#from; start < text.length; start++) {
      if (isWordUnit(text.charCodeAt(start - 1))) continue;
      const most = Math.min(start + WHOLE_WORD_BELOW - 1, last ? text.length : text.length - 1);
      for (let end = start + 1; end <= most; end++) {
        if (isWordUnit(text.charCodeAt(end))) continue;
        if (words.has(text.slice(start, end))) ranges.push({ start, end });
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
