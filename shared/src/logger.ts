import { pino, type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";

export type { Logger } from "pino";

export interface LoggerSettings {
  name: string;
  level?: LoggerOptions["level"];
  /** Readable lines instead of JSON; by default where standard error is a terminal. */
  readable?: boolean;
}

/** JSON lines on standard error, or readable ones on a terminal. Made once per process and passed down. */
export function createLogger(settings: LoggerSettings): Logger {
  const options: LoggerOptions = {
    name: settings.name,
    level: settings.level ?? "info",
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  if (settings.readable ?? process.stderr.isTTY) {
    return pino(options, pretty({ destination: 2, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", sync: true }));
  }
  return pino(options, pino.destination({ fd: 2, sync: true }));
}

export const silentLogger: Logger = pino({ level: "silent" });
