import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { LogLine } from "../ports.ts";
import type { DockerContext } from "./context.ts";
import { readFrames } from "./frames.ts";
import type { Frame } from "./frames.ts";

export interface LogOptions {
  lines: number;
  follow: boolean;
  signal?: AbortSignal;
}

/** What one message of the wire carries (agent.proto). */
const BATCH_LINES_MAX = 500;

/**
 * The container's last lines, then what it writes until its end or the signal. Read as slowly as the caller takes
 * them: the engine holds the rest back on its disk.
 */
export async function* readLogs(ctx: DockerContext, id: string, options: LogOptions): AsyncGenerator<LogLine[]> {
  if (options.signal?.aborted) return;
  const parse = createLineParser();
  try {
    const stream = await openLogs(ctx, id, options);
    for await (const frames of readFrames(stream)) {
      const lines = frames.map(parse).filter((line) => line !== undefined);
      for (let first = 0; first < lines.length; first += BATCH_LINES_MAX) {
        yield lines.slice(first, first + BATCH_LINES_MAX);
      }
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  }
}

/** By hand, because the client's own call holds all lines in memory when it does not follow. */
function openLogs(ctx: DockerContext, id: string, { lines, follow, signal }: LogOptions): Promise<Readable> {
  return new Promise((resolve, reject) => {
    ctx.docker.modem.dial(
      {
        path: `/containers/${id}/logs?`,
        method: "GET",
        isStream: true,
        ...(signal === undefined ? {} : { abortSignal: signal }),
        statusCodes: { 200: true, 404: "no such container", 500: "server error" },
        options: { stdout: true, stderr: true, timestamps: true, tail: lines, follow },
      },
      (error, stream) => (error === null ? resolve(stream as Readable) : reject(error)),
    );
  });
}

/**
 * A frame is one message: its time, a space, its bytes. The engine cuts lines at 16 KiB into messages of which only the
 * last ends in a line feed, possibly within a character.
 */
function createLineParser(): (frame: Frame) => LogLine | undefined {
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  return ({ source, payload }) => {
    const space = payload.indexOf(0x20);
    const time = new Date(payload.toString("latin1", 0, space));
    if (space < 0 || Number.isNaN(time.getTime())) return undefined;
    const decoder = decoders[source];
    const complete = payload.at(-1) === 0x0a;
    const bytes = payload.subarray(space + 1, complete ? -1 : undefined);
    const text = complete ? decoder.write(bytes) + decoder.end() : decoder.write(bytes);
    return { time, text: text.replace(/\r$/, "") };
  };
}
