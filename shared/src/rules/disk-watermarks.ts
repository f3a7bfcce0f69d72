/** How much of a disk has to stay free. */
export interface DiskWatermarks {
  diskBytesMin: number;
  /** Share of the whole, for bytes and files alike. */
  ratioMin: number;
}

/** Space that builds, fetches and pushes leave free; a build of a usual app writes about one GiB. */
export const DISK_WATERMARKS: DiskWatermarks = { diskBytesMin: 2 * 1024 ** 3, ratioMin: 0.05 };

/**
 * Below this watermark an app is stopped, so that databases can write on. It is half of the others, so that builds and
 * deploys stop first.
 */
export const LAST_WATERMARKS: DiskWatermarks = { diskBytesMin: 1024 ** 3, ratioMin: 0.025 };

/** Which of a disk's resources runs out. */
export type Shortage = "bytes" | "files";

export interface DiskSpace {
  totalBytes: number;
  availableBytes: number;
  inodesTotal: number;
  inodesAvailable: number;
}

export function shortageOf(disk: DiskSpace, { diskBytesMin, ratioMin }: DiskWatermarks): Shortage | undefined {
  if (disk.availableBytes < Math.max(diskBytesMin, disk.totalBytes * ratioMin)) return "bytes";
  // Some file systems count no inodes.
  return disk.inodesTotal > 0 && disk.inodesAvailable < disk.inodesTotal * ratioMin ? "files" : undefined;
}

/** How much is left of what runs out, as a part of a sentence: `only … on the server`. */
export function describeShortage(disk: DiskSpace, shortage: Shortage): string {
  if (shortage === "bytes") return `${Math.floor(disk.availableBytes / 1024 ** 2)} MiB of its disk are free`;
  return `${disk.inodesAvailable} of the ${disk.inodesTotal} files that its disk can hold are free`;
}
