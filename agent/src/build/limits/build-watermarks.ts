import { SvcError } from "@svc/shared/errors.ts";
import { DISK_WATERMARKS, type DiskWatermarks } from "@svc/shared/rules/disk-watermarks.ts";
import { mebibytes } from "../../platform/byte-size.ts";
import { diskShortage } from "../../platform/disk-shortage.ts";
import type { Host } from "../../ports.ts";

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
  const memoryBytesKept = memoryKept(memory, watermarks);
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

/**
 * Returns why a build that runs has to end; undefined while the host has memory left. Control groups don't count all that
 * instructions can take: a ring of packets is the kernel's, whoever asked for it.
 */
export async function memoryShortage(
  host: Pick<Host, "memory">,
  watermarks: BuildWatermarks,
): Promise<SvcError | undefined> {
  const memory = await host.memory();
  // A build within its cap leaves what is kept; the half is for apps that grow meanwhile.
  if (memory.availableBytes >= memoryKept(memory, watermarks) / 2) return undefined;
  return new SvcError(
    "build_out_of_memory",
    `The build was ended: only ${mebibytes(memory.availableBytes)} of the server's memory were left while it ran, and the ` +
      "apps on it need those. Let the build use less, stop an app, or use a server with more memory, then deploy again.",
  );
}

function memoryKept({ totalBytes }: { totalBytes: number }, { memoryBytesMin, ratioMin }: BuildWatermarks): number {
  return Math.max(memoryBytesMin, totalBytes * ratioMin);
}
