import { closeSync, openSync, readSync, statSync } from "node:fs";
import { formatLogLine } from "./log-line.ts";

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * Shows what is written into a daemon's log from now on, as readable lines.
 * @returns the function that ends it, after what is left
 */
export function followLog(name: string, file: string, print: (line: string) => void): () => void {
  const descriptor = openSync(file, "r");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let position = statSync(file).size;
  let rest = "";
  const read = (): void => {
    for (;;) {
      const bytes = readSync(descriptor, buffer, 0, CHUNK_BYTES, position);
      if (bytes === 0) return;
      position += bytes;
      const lines = (rest + buffer.toString("utf8", 0, bytes)).split("\n");
      rest = (lines.pop() ?? "").slice(-CHUNK_BYTES);
      for (const line of lines) print(formatLogLine(name, line));
    }
  };
  const timer = setInterval(read, POLL_MS);
  return () => {
    clearInterval(timer);
    read();
    closeSync(descriptor);
  };
}
