import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";

/**
 * One call's text as lines for the journal: no line ends in them, valid UTF-8, at most LINE_BYTES_MAX bytes each; a
 * longer line is cut between two characters.
 */
export function toLogLines(text: string): string[] {
  return text
    .toWellFormed()
    .split(/\r\n|\n|\r/)
    .flatMap(cutLine);
}

function cutLine(line: string): string[] {
  // UTF-8 needs at most three bytes for each UTF-16 unit, so that most lines need no counting.
  if (line.length * 3 <= LINE_BYTES_MAX) return [line];
  const bytes = Buffer.from(line);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = characterBoundary(bytes, Math.min(start + LINE_BYTES_MAX, bytes.length));
    pieces.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return pieces;
}

/** The last offset up to `end` at which a character begins; bytes 10xxxxxx go on with one. */
function characterBoundary(bytes: Buffer, end: number): number {
  let boundary = end;
  while (boundary < bytes.length && (bytes[boundary]! & 0xc0) === 0x80) boundary -= 1;
  return boundary;
}
