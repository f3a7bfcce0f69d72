import { appendFileSync, renameSync, statSync } from "node:fs";

/** Bytes of a log file before it is moved to `<file>.1`: the name server writes a few lines a day. */
const BYTES_MAX = 1024 * 1024;

export type BoundedLog = (level: "info" | "warn" | "error", message: string, fields?: object) => void;

/** JSON lines for a process that has no room for a logging library. At most two files of a MiB are kept. */
export function createBoundedLog(file: string): BoundedLog {
  return (level, message, fields = {}) => {
    const line = JSON.stringify({
      level,
      time: new Date().toISOString(),
      name: "name-server",
      ...fields,
      msg: message,
    });
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > BYTES_MAX) renameSync(file, `${file}.1`);
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not end the name server.
    }
  };
}
