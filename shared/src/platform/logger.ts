import { writeSync } from "node:fs";
import { pino, type Logger, type LoggerOptions } from "pino";
import { prettyFactory } from "pino-pretty";

export type { Logger } from "pino";

export interface LoggerSettings {
  name: string;
  level?: LoggerOptions["level"];
  /** Readable lines instead of JSON; by default where standard error is a terminal. */
  readable?: boolean;
}

/** A second for the reader of a pipe. */
const WRITE_ATTEMPTS_MAX = 100;
const WRITE_PAUSE_MS = 10;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * JSON lines on standard error, or readable ones on a terminal. Made once per process and passed down. A line that can't be
 * written, such as on a full disk, is lost: the work goes on.
 */
export function createLogger(settings: LoggerSettings): Logger {
  const options: LoggerOptions = {
    name: settings.name,
    level: settings.level ?? "info",
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  if (!(settings.readable ?? process.stderr.isTTY)) return pino(options, { write: writeToStandardError });
  const format = prettyFactory({ ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss" });
  return pino(options, { write: (line) => writeToStandardError(format(line)) });
}

/** Writes at once, and without a buffer of its own: pino's keeps what it can't write, and retries for ever. */
function writeToStandardError(text: string): void {
  let rest = Buffer.from(text);
  for (let attempt = 0; rest.length > 0 && attempt < WRITE_ATTEMPTS_MAX; attempt++) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      // A pipe whose reader is behind.
      Atomics.wait(pause, 0, 0, WRITE_PAUSE_MS);
    }
  }
}

export const silentLogger: Logger = pino({ level: "silent" });
