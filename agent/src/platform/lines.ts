/** A message holds at most what BuildKit gathers in 100 ms; one larger than this is not one. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

/** The lines of an answer of the engine, each a message in JSON. @throws Error for one that is too long */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
      [parts, bytes, start] = [[], 0, end + 1];
      if (line.trim() !== "") yield line;
    }
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes > MESSAGE_BYTES_MAX) throw new Error("a message of the engine is too long");
  }
  const last = Buffer.concat(parts).toString("utf8");
  if (last.trim() !== "") yield last;
}
