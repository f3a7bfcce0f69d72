import fc from "fast-check";
import { expect, test } from "vitest";
import { readCgiHead } from "./cgi.ts";

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const HEAD = "Status: 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n";

test("head and body are told apart wherever the pieces are cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.integer({ min: 1, max: 64 }), async (body, size) => {
      const chunks = pieces(Buffer.concat([Buffer.from(HEAD), body]), size);
      const { head, rest } = await readCgiHead(chunks);
      expect(head).toEqual({ status: 403, headers: [["Content-Type", "text/plain"]] });
      const all = [rest];
      for await (const chunk of chunks) all.push(chunk);
      expect(Buffer.concat(all)).toEqual(Buffer.from(body));
    }),
  );
});

test("an answer without an end of its head is refused", async () => {
  await expect(readCgiHead(pieces(Buffer.from("Status: 200"), 4))).rejects.toThrow("without an answer");
  await expect(readCgiHead(pieces(Buffer.alloc(64 * 1024, "a"), 4096))).rejects.toThrow("does not end");
});
