import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { keepLogged } from "../../../test/support/tools/logged.ts";
import { setKernelLimits } from "./kernel-limits.ts";

/** The settings are those of Debian. */
const PRESENT = {
  "vm/dirty_background_bytes": "0",
  "vm/dirty_bytes": "0",
  "fs/epoll/max_user_watches": "5491533",
  "fs/inotify/max_user_instances": "128",
  "fs/inotify/max_user_watches": "192536",
  "fs/aio-max-nr": "65536",
  "fs/pipe-user-pages-soft": "16384",
  "kernel/pty/max": "4096",
  "kernel/pid_max": "32768",
  "net/ipv4/neigh/default/gc_thresh3": "1024",
  "net/netfilter/nf_conntrack_max": "262144",
};
const WANTED = {
  "vm/dirty_background_bytes": "8388608",
  "vm/dirty_bytes": "33554432",
  "fs/epoll/max_user_watches": "1000000000",
  "fs/inotify/max_user_instances": "1000000000",
  "fs/inotify/max_user_watches": "1000000000",
  "fs/aio-max-nr": "1000000000",
  "fs/pipe-user-pages-soft": "0",
  "kernel/pty/max": "1048576",
  "kernel/pid_max": "4194304",
  "net/ipv4/neigh/default/gc_thresh3": "262144",
  "net/netfilter/nf_conntrack_max": "1048576",
};

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sysctl-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function write(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, value] of Object.entries(values)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), value);
  }
}

async function read(root: string): Promise<Record<string, string>> {
  const entries = Object.keys(WANTED).map(async (path) => [path, (await readFile(join(root, path), "utf8")).trim()]);
  return Object.fromEntries((await Promise.all(entries)) as [string, string][]);
}

describe("limits of the kernel that all apps share", () => {
  it("are set out of an app's reach", async () => {
    await write(PRESENT);
    await setKernelLimits(silentLogger, directory);
    expect(await read(directory)).toEqual(WANTED);
  });

  it("stay where an operator has gone further, or has chosen how much may wait for the disk", async () => {
    const chosen = { "vm/dirty_bytes": "1048576", "fs/epoll/max_user_watches": "2000000000" };
    await write({ ...PRESENT, ...chosen });
    await setKernelLimits(silentLogger, directory);
    expect(await read(directory)).toEqual({ ...WANTED, ...chosen });
  });

  it("are named in the log where they can't be set, and the others are", async () => {
    await write(PRESENT);
    await rm(join(directory, "vm"), { recursive: true });
    const { log, logged } = keepLogged();
    await setKernelLimits(log, directory);
    const refused = ["vm.dirty_background_bytes=8388608", "vm.dirty_bytes=33554432"];
    expect(logged).toMatchObject([{ level: "warn", fields: { refused } }]);
    expect(await readFile(join(directory, "kernel/pty/max"), "utf8")).toBe("1048576");
  });

  it("are taken by this machine's kernel as they are", async () => {
    await setKernelLimits(silentLogger);
    const taken = Object.entries(await read("/proc/sys")).map(([path, value]) => ({ path, value: Number(value) }));
    for (const { path, value } of taken) {
      const wanted = Number(WANTED[path as keyof typeof WANTED]);
      const isTaken = path.startsWith("vm/") ? value > 0 : value >= wanted;
      expect({ path, value, isTaken }).toEqual({ path, value, isTaken: true });
    }
  });
});
