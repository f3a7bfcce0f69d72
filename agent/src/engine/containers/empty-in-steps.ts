import { constants } from "node:fs";
import { lstat, open, opendir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The kernel writes out what a step changed as soon as the step is committed: less than may wait for the engine's disk. */
const FILES_A_STEP = 1_000;
const PAUSE_MS = 20;
const TOGETHER = 50;
/** Is enough for a million files. The engine removes the rest. */
const MS_MAX = 60_000;

interface Rest {
  /** Is called after each step; a step's changes are on the disk by then. */
  betweenSteps?: () => Promise<unknown>;
  msMax?: number;
}

/**
 * Removes what a directory holds, 1,000 files at a time, each step committed before the next: removed at once, hundreds of thousands
 * of files hold up whoever writes to the same disk (decision 014). Nothing else may use the directory meanwhile. Other file systems that are
 * mounted in it stay, and symbolic links are removed, not followed.
 *
 * @throws Error of the file system, as where a path is too long for it
 */
export async function emptyInSteps(
  directory: string,
  { betweenSteps = () => delay(PAUSE_MS), msMax = MS_MAX }: Rest = {},
): Promise<void> {
  const until = performance.now() + msMax;
  const { dev } = await lstat(directory);
  let inStep = 0;

  async function empty(path: string): Promise<void> {
    const folder = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      if ((await folder.stat()).dev !== dev) return;
      for await (const entries of chunks(path)) {
        if (performance.now() > until) return;
        const files = entries.filter((entry) => !entry.isDirectory());
        await Promise.all(files.map(({ name }) => unlink(join(path, name))));
        for (const { name } of entries.filter((entry) => entry.isDirectory())) {
          await empty(join(path, name));
          // What was left in it is left to the engine.
          await rmdir(join(path, name)).catch(() => undefined);
        }
        inStep += entries.length;
        if (inStep < FILES_A_STEP) continue;
        inStep = 0;
        await folder.sync();
        await betweenSteps();
      }
    } finally {
      await folder.close();
    }
  }
  await empty(directory);
}

async function* chunks(path: string) {
  let chunk = [];
  for await (const entry of await opendir(path, { bufferSize: TOGETHER })) {
    chunk.push(entry);
    if (chunk.length < TOGETHER) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}
