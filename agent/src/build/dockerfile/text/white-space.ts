import { refused, type Place } from "./refusal.ts";

/** White space and line ends, but for space, tab and line feed: each reader of Dockerfiles takes others of them for such. */
const ODD = /[\v\f\r\u0085\ufeff]|(?! )\p{Z}/u;
const EVERY_ODD = new RegExp(ODD, "gu");

/** Instructions whose words decide what a build reads, so that nobody may split them differently. */
const NAMING = ["ADD", "COPY", "FROM", "ONBUILD"];

/**
 * An instruction's text may hold odd white space where a shell or a label has it, and not where its words begin or end.
 * @throws SvcError build_failed
 */
export function requirePlainSpace(place: Place, rest: string): void {
  const looked = NAMING.includes(place.name) ? rest : `${rest.slice(0, 1)}${rest.slice(-1)}`;
  const [odd] = ODD.exec(looked) ?? [];
  if (odd === undefined) return;
  throw refused(
    place,
    `it holds the white space ${escaped(odd)}, which some builders pass over and others do not. Write a space instead.`,
  );
}

/** Takes spaces and tabs around the text away. A pattern would look for the end from each of a million spaces. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start]!)) start += 1;
  while (end > start && isBlank(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

/** Tells whether Go's unicode.IsSpace knows the character; BuildKit splits quoted words by it. */
export function isGoSpace(char: string): boolean {
  return isBlank(char) || char === "\n" || (ODD.test(char) && char !== "\ufeff");
}

/** The words as a JSON array of one line, in which no reader finds white space that another does not. */
export function arrayText(words: readonly string[]): string {
  return JSON.stringify(words).replaceAll(EVERY_ODD, escaped);
}

function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
