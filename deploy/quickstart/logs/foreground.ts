import { setTimeout as delay } from "node:timers/promises";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { logFile, requireAlive } from "../daemons/daemons.ts";
import type { Installation } from "../installation.ts";
import { say } from "../progress.ts";
import type { OwnDaemons } from "../up.ts";
import { formatLogLine } from "./log-line.ts";

const CHECK_MS = 1000;

/** Shows the daemons' logs until the signal. @throws TakenOver, SetupError when one of them ends by itself */
export async function showLogs(installation: Installation, daemons: OwnDaemons, signal: AbortSignal): Promise<void> {
  say("The daemons' logs follow. Ctrl-C stops the daemons and leaves the apps running.\n");
  const ends = (["control-plane", "agent"] as const).map((name) => followLog(name, logFile(installation, name), say));
  try {
    while (!signal.aborted) {
      for (const [name, daemon] of daemons) requireAlive(installation, name, daemon);
      await delay(CHECK_MS, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  } finally {
    for (const end of ends) end();
  }
}

const POLL_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * Shows what is written into a daemon's log from now on, as readable lines.
 * @returns the function that ends it, after what is left
 */
function followLog(name: string, file: string, print: (line: string) => void): () => void {
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
