import type { Readable } from "node:stream";
import { LINE_BYTES_MAX, LINE_CUT_SLACK_BYTES } from "@svc/shared/rules/log-line.ts";
import type { LogLine, StampedLine } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { readFrames } from "./frames.ts";
import type { Frame } from "./frames.ts";

export interface LogOptions {
  lines: number;
  follow: boolean;
  signal?: AbortSignal;
}

const NEW_LINE = 0x0a;
/** A message of so many bytes may have been cut by the engine. */
const CUT_AT_BYTES = LINE_BYTES_MAX - LINE_CUT_SLACK_BYTES;
/** The most lines in one message (agent.proto). */
const BATCH_LINES_MAX = 500;

/**
 * The container's last lines, then what it writes until its end or the signal. Read as slowly as the caller takes
 * them: the engine holds the rest back on its disk.
 */
export async function* readLogs(ctx: DockerContext, id: string, options: LogOptions): AsyncGenerator<LogLine[]> {
  for await (const lines of readStamped(ctx, `/containers/${id}/logs?`, options)) {
    yield lines.map(({ time, output, text }) => ({ time, output, text }));
  }
}

/** See Engine.linesSince. */
export async function* readLinesSince(
  ctx: DockerContext,
  id: string,
  { lines, since, signal }: { lines: number; since: string | undefined; signal: AbortSignal },
): AsyncGenerator<StampedLine[]> {
  yield* readStamped(ctx, `/containers/${id}/logs?`, {
    lines,
    follow: false,
    signal,
    ...(since !== undefined && { since }),
  });
}

type StampedOptions = LogOptions & { since?: string };

/** @param path of the Engine API, with its question mark */
export async function* readStamped(
  ctx: DockerContext,
  path: string,
  options: StampedOptions,
): AsyncGenerator<StampedLine[]> {
  if (options.signal?.aborted) return;
  try {
    const stream = await openLogs(ctx, path, options);
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
function openLogs(ctx: DockerContext, path: string, options: StampedOptions): Promise<Readable> {
  const { lines, follow, signal, since } = options;
  return new Promise((resolve, reject) => {
    ctx.docker.modem.dial(
      {
        path,
        method: "GET",
        isStream: true,
        ...(signal === undefined ? {} : { abortSignal: signal }),
        statusCodes: { 200: true, 404: "no such container", 500: "server error" },
        options: {
          stdout: true,
          stderr: true,
          timestamps: true,
          tail: lines,
          follow,
          ...(since === undefined ? {} : { since: unixTime(since) }),
        },
      },
      (error, stream) => (error === null ? resolve(stream as Readable) : reject(error)),
    );
  });
}

/** Seconds since 1970 with their nine digits, as the engine takes a time; a number would lose the last of them. */
function unixTime(stamp: string): string {
  return `${Math.floor(Date.parse(stamp) / 1000)}.${stamp.slice("2026-01-31T12:00:00.".length, -1)}`;
}

/**
 * A frame is one message: its time, a space, its bytes. The engine has cut longer lines into messages of 16 KiB; the last one
 * ends the line. A container's last words may have no end either, and are shorter.
 */
export function parseLine({ source: output, payload }: Frame): StampedLine | undefined {
  const space = payload.indexOf(0x20);
  const stamp = payload.toString("latin1", 0, space);
  const time = new Date(stamp);
  if (space < 0 || Number.isNaN(time.getTime())) return undefined;
  const goesOn = payload.at(-1) !== NEW_LINE && payload.length - space > CUT_AT_BYTES;
  return { time, stamp, output, text: payload.toString("utf8", space + 1).replace(/\r?\n$/, ""), goesOn };
}
