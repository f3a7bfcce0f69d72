import { SvcError } from "@svc/shared/errors.ts";
import { DISK_WATERMARKS, type DiskWatermarks } from "@svc/shared/disk-watermarks.ts";
import { mebibytes } from "../domain/byte-size.ts";
import { diskShortage } from "../domain/disk-shortage.ts";
import type { Host } from "../ports.ts";

/** Space that a build leaves to the apps and daemons that run beside it, so that none of them is its victim. */
export interface BuildWatermarks extends DiskWatermarks {
  memoryBytesMin: number;
}

export const DEFAULT_WATERMARKS: BuildWatermarks = {
  ...DISK_WATERMARKS,
  // npm alone takes as much.
  memoryBytesMin: 256 * 1024 ** 2,
};

/**
 * Refuses to start a build on a host that is nearly full.
 * @param directories where the engine keeps images, and the agent its data
 * @returns what a build may take of the memory that is available now, in bytes
 * @throws SvcError disk_full, build_out_of_memory
 */
export async function requireRoom(
  host: Host,
  directories: readonly string[],
  watermarks: BuildWatermarks,
): Promise<{ memoryBytes: number }> {
  for (const directory of directories) {
    const shortage = await diskShortage(host, directory, watermarks);
    if (shortage) throw shortage;
  }
  const memory = await host.memory();
  const memoryBytesKept = Math.max(watermarks.memoryBytesMin, memory.totalBytes * watermarks.ratioMin);
  if (memory.availableBytes >= memoryBytesKept) {
    // At the watermark itself a build still gets as much as is kept; less than that builds nothing.
    return { memoryBytes: Math.floor(Math.max(memory.availableBytes - memoryBytesKept, memoryBytesKept)) };
  }
  throw new SvcError(
    "build_out_of_memory",
    `The build was not started: only ${mebibytes(memory.availableBytes)} of the server's memory are available, and ` +
      "the apps on it need those. Stop an app, or use a server with more memory, then deploy again.",
  );
}
