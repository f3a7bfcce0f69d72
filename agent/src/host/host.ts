import { cpus, freemem, loadavg, totalmem } from "node:os";
import { readDiskSpace } from "@svc/shared/platform/read-disk-space.ts";
import { readKernelFile } from "../platform/kernel-files.ts";
import type { Host } from "../ports.ts";

/** Ticks of all cores together since the start of the machine. */
interface CpuTicks {
  busy: number;
  total: number;
}

/** Facts of the machine that this process runs on. */
export function createHost(): Host {
  let before = readTicks();
  return {
    memory() {
      const meminfo = readKernelFile("/proc/meminfo");
      return Promise.resolve({
        totalBytes: meminfoBytes(meminfo, "MemTotal") ?? totalmem(),
        // The memory that a new process can have without swapping: more than what is free, less than free and cached.
        availableBytes: meminfoBytes(meminfo, "MemAvailable") ?? freemem(),
      });
    },

    disk: readDiskSpace,

    cpu() {
      const now = readTicks();
      const total = now.total - before.total;
      const usedRatio = total === 0 ? 0 : (now.busy - before.busy) / total;
      before = now;
      return Promise.resolve({ cores: cpus().length, usedRatio, load1m: loadavg()[0] ?? 0 });
    },
  };
}

/** The value of a line such as `MemTotal:  16384 kB`; undefined when there is none. */
export function meminfoBytes(meminfo: string, name: string): number | undefined {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(meminfo)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readTicks(): CpuTicks {
  const ticks = { busy: 0, total: 0 };
  for (const { times } of cpus()) {
    const total = times.user + times.nice + times.sys + times.idle + times.irq;
    ticks.busy += total - times.idle;
    ticks.total += total;
  }
  return ticks;
}
