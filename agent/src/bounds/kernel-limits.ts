import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@svc/shared/platform/logger.ts";

/** A limit of the kernel's for the whole host, as sysctl(8) names it. */
interface KernelLimit {
  name: string;
  value: number;
  /** Whether what the host has stays. */
  isKept: (present: number) => boolean;
}

const MIB = 1024 * 1024;

/** This is more than an app's own memory and processes leave it, since what these hold is counted as its memory. */
const OUT_OF_REACH = 1_000_000_000;

const unlessChosen = (name: string, value: number): KernelLimit => ({
  name,
  value,
  isKept: (present) => present !== 0,
});
const atLeast = (name: string, value: number): KernelLimit => ({ name, value, isKept: (present) => present >= value });

/**
 * Resources of the host that one app could use up for all others (decision 14). The engine writes out all that waits
 * for the disk when any container ends, and whoever commits a row waits behind it. The other limits count per user or
 * for the host, and apps share both.
 */
const LIMITS: readonly KernelLimit[] = [
  // A commit may wait for half of the two together. Four times as much doubles the wait; a quarter makes the kernel
  // slow down whoever writes, to any disk.
  unlessChosen("vm.dirty_background_bytes", 8 * MIB),
  unlessChosen("vm.dirty_bytes", 32 * MIB),
  atLeast("fs.epoll.max_user_watches", OUT_OF_REACH),
  atLeast("fs.inotify.max_user_instances", OUT_OF_REACH),
  atLeast("fs.inotify.max_user_watches", OUT_OF_REACH),
  atLeast("fs.aio-max-nr", OUT_OF_REACH),
  // No limit.
  { name: "fs.pipe-user-pages-soft", value: 0, isKept: (present) => present === 0 },
  // The most that the kernel takes.
  atLeast("kernel.pty.max", 1_048_576),
  atLeast("kernel.pid_max", 4_194_304),
  // A network of builds has 65,536 addresses, each of which may become an entry.
  atLeast("net.ipv4.neigh.default.gc_thresh3", 262_144),
  // Eight apps that open connections as fast as they may (see ../docker/connection-rate.ts); 320 MB, once they are used.
  atLeast("net.netfilter.nf_conntrack_max", 1_048_576),
];

/**
 * Sets what the host does not have yet; it lasts until the reboot. A host where something can't be set goes without, and the log says
 * what to set.
 */
export async function setKernelLimits(log: Logger, directory = "/proc/sys"): Promise<void> {
  const refused: string[] = [];
  for (const { name, value, isKept } of LIMITS) {
    const path = join(directory, name.replaceAll(".", "/"));
    try {
      if (!isKept(Number(await readFile(path, "utf8")))) await writeFile(path, String(value));
    } catch {
      refused.push(`${name}=${value}`);
    }
  }
  if (refused.length > 0) log.warn({ refused }, "limits of the kernel can't be set from here: set them with sysctl");
}
