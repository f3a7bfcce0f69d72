/** The head of a CGI answer (RFC 3875, 6): header lines, then an empty line. */
export interface CgiHead {
  status: number;
  headers: [name: string, value: string][];
}

/** Heads of git are a few lines; more than this is not one. */
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * Reads the head and leaves the iterator behind it.
 * @returns the head, and what of the body came with it
 * @throws Error when the answer ends within the head, or the head does not end
 */
export async function readCgiHead(chunks: AsyncIterator<Buffer>): Promise<{ head: CgiHead; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf("\r\n\r\n");
    if (end >= 0) return { head: parseHead(bytes.subarray(0, end).toString("latin1")), rest: bytes.subarray(end + 4) };
    if (bytes.length > HEAD_BYTES_MAX) throw new Error("git gave a head that does not end");
    const next = await chunks.next();
    if (next.done) throw new Error("git ended without an answer");
    bytes = Buffer.concat([bytes, next.value]);
  }
}

function parseHead(text: string): CgiHead {
  const head: CgiHead = { status: 200, headers: [] };
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") head.status = Number.parseInt(value, 10);
    else head.headers.push([name, value]);
  }
  return head;
}
