import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { isErrno } from "../platform/durable-file.ts";

/** The time that an app's last dump is kept after a purge. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;

export interface PruneDumpsOptions {
  directory: string;
  clock: Clock;
  log: Logger;
}

/** Removes the last dumps of purged databases, and drafts of them, after their time; resolves when the signal aborts. */
export async function keepDumpsPruned(options: PruneDumpsOptions, signal: AbortSignal): Promise<void> {
  const failing = "old dumps are not removed yet";
  await repeat({ ...options, everyMs: INTERVAL_MS, failing, work: () => pruneDumps(options) }, signal);
}

export async function pruneDumps({ directory, clock, log }: PruneDumpsOptions): Promise<void> {
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path);
    if (clock.now().getTime() - mtimeMs < KEPT_MS) continue;
    await rm(path, { force: true });
    log.info({ file: path }, "removed an old dump");
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  });
}
