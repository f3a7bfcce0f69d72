import { readdirSync, readFileSync } from "node:fs";

/**
 * The text of a file that the kernel makes up while it is read (/proc, /sys/fs/cgroup); empty when it can't be read. It
 * waits for no disk, and takes some microseconds; what the asynchronous calls do for it takes twenty times as long.
 */
export function readKernelFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The names in a folder of the kernel's; none when it can't be read. */
export function listKernelFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
