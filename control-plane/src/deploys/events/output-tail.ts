/** The part of a step's output that is kept, in bytes of UTF-8. */
export const OUTPUT_TAIL_BYTES = 64 * 1024;

/** The last `limit` bytes at most, cut at a line start; a single longer line is cut at a character. */
export function outputTail(text: string, limit = OUTPUT_TAIL_BYTES): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  const lineStart = bytes[start - 1] === NEWLINE ? start : bytes.indexOf(NEWLINE, start) + 1;
  if (lineStart > 0 && lineStart < bytes.length) return bytes.toString("utf8", lineStart);
  while (start < bytes.length && isContinuation(bytes[start]!)) start++;
  return bytes.toString("utf8", start);
}

const NEWLINE = 0x0a;

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
