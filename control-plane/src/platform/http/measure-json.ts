const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [ARRAY_START, ARRAY_END] = [0x5b, 0x5d];
const [OBJECT_START, OBJECT_END] = [0x7b, 0x7d];

/**
 * How many values a JSON text holds at most, and how deeply it nests them, without parsing it: parsing some bodies
 * takes a hundred times as long as others of the same size. Stops at the first bound that is crossed. A text that is
 * not JSON is counted as it is up to its first fault, where a parser stops too.
 */
export function measureJson(
  text: Uint8Array,
  max: { values: number; depth: number },
): "fits" | "too many values" | "too deep" {
  let [values, depth] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at);
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === ARRAY_START || byte === OBJECT_START) {
      values += 1;
      depth += 1;
    } else if (byte === ARRAY_END || byte === OBJECT_END) {
      depth -= 1;
    }
    if (depth > max.depth) return "too deep";
    if (values > max.values) return "too many values";
  }
  return "fits";
}

/** Where its closing quote is; the end of the text when it has none. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
