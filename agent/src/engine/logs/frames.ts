import type { LogOutput } from "../../ports.ts";

/** One message of the engine's multiplexed stream. */
export interface Frame {
  source: LogOutput;
  payload: Buffer;
}

/** 1 byte source, 3 bytes unused, 4 bytes length (Engine API, "Stream format"). */
const HEADER_BYTES = 8;

/** The engine sends pieces of at most 32 KiB; a longer one means that this is not such a stream. */
const FRAME_BYTES_MAX = 1024 * 1024;

/** The frames that each chunk of the stream completes, in order. */
export async function* readFrames(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Frame[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const data = Buffer.concat([rest, typeof chunk === "string" ? Buffer.from(chunk) : chunk]);
    const { frames, length } = splitFrames(data);
    rest = data.subarray(length);
    if (frames.length > 0) yield frames;
  }
}

function splitFrames(data: Buffer): { frames: Frame[]; length: number } {
  const frames: Frame[] = [];
  let offset = 0;
  while (data.length - offset >= HEADER_BYTES) {
    const length = data.readUInt32BE(offset + 4);
    if (length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes in the engine's stream`);
    const end = offset + HEADER_BYTES + length;
    if (data.length < end) break;
    frames.push({
      source: data[offset] === 2 ? "stderr" : "stdout",
      payload: data.subarray(offset + HEADER_BYTES, end),
    });
    offset = end;
  }
  return { frames, length: offset };
}
