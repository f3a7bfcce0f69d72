import type { Readable } from "node:stream";
import type { LogLine } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { readFrames } from "./frames.ts";
import type { Frame } from "./frames.ts";

export interface LogOptions {
  lines: number;
  follow: boolean;
  signal?: AbortSignal;
}

/** The most lines in one message (agent.proto). */
const BATCH_LINES_MAX = 500;

/**
 * The container's last lines, then what it writes until its end or the signal. Read as slowly as the caller takes
 * them: the engine holds the rest back on its disk.
 */
export async function* readLogs(ctx: DockerContext, id: string, options: LogOptions): AsyncGenerator<LogLine[]> {
  if (options.signal?.aborted) return;
  try {
    const stream = await openLogs(ctx, id, options);
    for await (const frames of readFrames(stream)) {
      const lines = frames.map(parseLine).filter((line) => line !== undefined);
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

/** A frame is one message: its time, a space, its bytes. The engine has cut longer lines into messages of 16 KiB. */
function parseLine({ source: output, payload }: Frame): LogLine | undefined {
  const space = payload.indexOf(0x20);
  const time = new Date(payload.toString("latin1", 0, space));
  if (space < 0 || Number.isNaN(time.getTime())) return undefined;
  return { time, output, text: payload.toString("utf8", space + 1).replace(/\r?\n$/, "") };
}
