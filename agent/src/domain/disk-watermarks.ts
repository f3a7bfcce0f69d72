/** How much of a disk has to stay free. */
export interface DiskWatermarks {
  diskBytesMin: number;
  /** Of the whole, for bytes and files alike. */
  ratioMin: number;
}

/**
 * When an app has to go, so that databases can go on writing. Half of what builds and fetches leave free
 * (docker/build-watermarks.ts), so that those end first.
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
