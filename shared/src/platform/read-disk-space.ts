import { statfs } from "node:fs/promises";
import type { DiskSpace } from "../rules/disk-watermarks.ts";

/** Reads the file system that holds the path. @throws Error when there is no such path */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(path);
  return { totalBytes: bsize * blocks, availableBytes: bsize * bavail, inodesTotal: files, inodesAvailable: ffree };
}
