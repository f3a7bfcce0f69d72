import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@svc/shared/logger.ts";

/**
 * How much of what was written may wait in memory for the disk. The engine writes all of it out when any container ends, and
 * whoever commits a row waits behind it: with the kernel's own bound, a fifth of the memory, for seconds.
 */
const DIRTY_BYTES_MAX = 128 * 1024 * 1024;
/** From here on the kernel writes without being asked. */
const DIRTY_BYTES_BACKGROUND = 32 * 1024 * 1024;

/**
 * Keeps a container that fills the disk from holding up the databases beside it (decision 14). A bound in bytes that an operator has
 * set stays. A host where it can't be set goes without, and the log says so.
 */
export async function boundDirtyPages(log: Logger, directory = "/proc/sys/vm"): Promise<void> {
  const [most, background] = [join(directory, "dirty_bytes"), join(directory, "dirty_background_bytes")];
  try {
    const isChosen = (await readNumber(most)) !== 0 || (await readNumber(background)) !== 0;
    if (isChosen) return;
    // The lower one first: the kernel takes it for half of the higher one while that is below it.
    await writeFile(background, String(DIRTY_BYTES_BACKGROUND), { flag: "r+" });
    await writeFile(most, String(DIRTY_BYTES_MAX), { flag: "r+" });
    log.info({ dirtyBytes: DIRTY_BYTES_MAX }, "what waits for the disk is bounded");
  } catch (err) {
    log.warn(
      { err, bytes: DIRTY_BYTES_MAX, background: DIRTY_BYTES_BACKGROUND },
      "vm.dirty_bytes can't be set from here: set it with sysctl, or an app that writes a lot slows the databases of others",
    );
  }
}

async function readNumber(path: string): Promise<number> {
  return Number(await readFile(path, "utf8"));
}
