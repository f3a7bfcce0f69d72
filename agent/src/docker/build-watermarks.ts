import { SvcError } from "@svc/shared/errors.ts";
import type { Host } from "../ports.ts";

/** What a build leaves to the apps and daemons that run beside it, so that none of them is its victim. */
export interface BuildWatermarks {
  diskBytesMin: number;
  memoryBytesMin: number;
  /** Of the whole, for disk, inodes and memory alike. */
  ratioMin: number;
}

export const DEFAULT_WATERMARKS: BuildWatermarks = {
  // A build of a usual app writes about one.
  diskBytesMin: 2 * 1024 ** 3,
  // npm alone takes as much.
  memoryBytesMin: 256 * 1024 ** 2,
  ratioMin: 0.05,
};

/**
 * Refuses to start a build on a host that is nearly full.
 * @param dataDirectory where the engine keeps images
 * @throws SvcError disk_full, build_out_of_memory
 */
export async function requireRoom(host: Host, dataDirectory: string, watermarks: BuildWatermarks): Promise<void> {
  const [disk, memory] = await Promise.all([host.disk(dataDirectory), host.memory()]);
  const { diskBytesMin, memoryBytesMin, ratioMin } = watermarks;
  if (disk.availableBytes < Math.max(diskBytesMin, disk.totalBytes * ratioMin)) {
    throw diskFull(`${mebibytes(disk.availableBytes)} of its disk are free`);
  }
  // Some file systems count no inodes.
  if (disk.inodesTotal > 0 && disk.inodesAvailable < disk.inodesTotal * ratioMin) {
    throw diskFull(`${disk.inodesAvailable} of the ${disk.inodesTotal} files that its disk can hold are free`);
  }
  if (memory.availableBytes < Math.max(memoryBytesMin, memory.totalBytes * ratioMin)) {
    throw new SvcError(
      "build_out_of_memory",
      `The build was not started: only ${mebibytes(memory.availableBytes)} of the server's memory are available, and ` +
        "the apps on it need those. Stop an app, or use a server with more memory, then deploy again.",
    );
  }
}

function diskFull(fact: string): SvcError {
  return new SvcError(
    "disk_full",
    `The build was not started: only ${fact} on the server. Remove apps that are not needed, ` +
      "or have whoever runs this service free space, then deploy again.",
  );
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
