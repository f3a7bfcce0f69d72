import { readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * A commit waits behind all that waits for its disk. Twice as much makes it wait twice as long; half as much slows the
 * writers down and gains nothing (`npm run bench -- neighbours --only disk`).
 */
const BACKLOG_BYTES = 4 * 1024 * 1024;

/**
 * Bounds what waits in memory for the disk of a directory, whoever wrote it: 4 MiB, until the reboot (decision 014). A
 * disk that an operator has bounded (`strict_limit`) stays as it is.
 *
 * @param directory any path on the disk
 * @param sys where the kernel shows its devices
 * @returns whether the disk is bounded. It can't be by a kernel before 6.2, on a file system without a disk of its own
 * (tmpfs, NFS, btrfs), and without the rights of root.
 */
export async function limitDiskBacklog(directory: string, sys = "/sys"): Promise<boolean> {
  try {
    const writeback = await writebackOf((await stat(directory, { bigint: true })).dev, sys);
    if ((await readFile(join(writeback, "strict_limit"), "utf8")).trim() === "1") return true;
    await writeFile(join(writeback, "max_bytes"), String(BACKLOG_BYTES));
    await writeFile(join(writeback, "strict_limit"), "1");
    return true;
  } catch {
    return false;
  }
}

/**
 * The settings of a disk's writes. A partition has none of its own: its folder lies within that of its disk.
 *
 * @param device `st_dev`, as stat(2) gives it
 */
async function writebackOf(device: bigint, sys: string): Promise<string> {
  const folder = await realpath(join(sys, "dev/block", numbersOf(device)));
  return realpath(join(folder, "bdi")).catch(() => realpath(join(dirname(folder), "bdi")));
}

/** `MAJOR:MINOR`, taken apart as makedev(3) of Linux puts them together. */
function numbersOf(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}
