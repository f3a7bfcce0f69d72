import fc from "fast-check";
import { expect, test } from "vitest";
import { readFrames } from "./frames.ts";
import type { Frame } from "./frames.ts";

function encode({ source, payload }: Frame): Buffer {
  const header = Buffer.alloc(8);
  header[0] = source === "stderr" ? 2 : 1;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

async function* cut(data: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const size of sizes) {
    yield data.subarray(offset, offset + size);
    offset += size;
  }
  yield data.subarray(offset);
}

const frame = fc.record({
  source: fc.constantFrom("stdout" as const, "stderr" as const),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

test("frames arrive whole and in order wherever the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame), fc.array(fc.nat(50)), async (frames, sizes) => {
      const read: Frame[] = [];
      for await (const batch of readFrames(cut(Buffer.concat(frames.map(encode)), sizes))) read.push(...batch);
      expect(read).toEqual(frames);
    }),
  );
});

test("a stream that is no multiplexed one ends with an error and fills no memory", async () => {
  const text = Buffer.from("plain text, not frames");
  await expect(readFrames(cut(text, [])).next()).rejects.toThrow(/a frame of \d+ bytes/);
});
