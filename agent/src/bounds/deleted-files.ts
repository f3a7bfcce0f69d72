import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { DiskUse } from "../domain/disk-limits.ts";

/** A million open files; what is known by then is used. */
const SEARCH_MS_MAX = 10_000;

/** File systems in memory, whose files are counted there. */
const IN_MEMORY: ReadonlySet<string> = new Set(["tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "mqueue"]);
/** The kernel's own, which nobody has mounted: memfd_create(2), shared anonymous memory. It is the first to be made. */
const KERNEL_MEMORY = 1;

/**
 * Container → what files take that its processes have deleted and still hold open. They fill the disk like any other, and
 * are in no directory where du would find them. What tells them is their device and their links: an app chooses names.
 */
export async function measureDeletedFiles(containerIds: ReadonlySet<string>): Promise<Map<string, DiskUse>> {
  const owners = await ownersOfProcesses(containerIds);
  const inMemory = await memoryDevices(owners);
  const uses = new Map<string, DiskUse>();
  /** A file may be open often. The names here are a tenth of what each open file takes of its app's own memory. */
  const counted = new Set<string>();
  for await (const { pid, device, inode, bytes } of deletedFilesOf([...owners.keys()])) {
    const [owner, identity] = [owners.get(pid)!, `${device}:${inode}`];
    if (inMemory.has(device) || counted.has(identity)) continue;
    counted.add(identity);
    const use = uses.get(owner) ?? { bytes: 0, files: 0 };
    uses.set(owner, { bytes: use.bytes + bytes, files: use.files + 1 });
  }
  return uses;
}

/** The engine names the control group of a container after its id, whatever the driver and version are. */
async function ownersOfProcesses(containerIds: ReadonlySet<string>): Promise<Map<string, string>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const owners = new Map<string, string>();
  for (const pid of pids) {
    const cgroup = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    const id = /[0-9a-f]{64}/.exec(cgroup)?.[0];
    if (id !== undefined && containerIds.has(id)) owners.set(pid, id);
  }
  return owners;
}

/** Processes of a container see the same mounts. */
async function memoryDevices(owners: ReadonlyMap<string, string>): Promise<Set<number>> {
  const onePerContainer = new Map([...owners].map(([pid, owner]) => [owner, pid])).values();
  const devices = new Set([KERNEL_MEMORY]);
  for (const pid of onePerContainer) {
    const mounts = (await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "")).split("\n");
    for (const mount of mounts) {
      // proc(5): id, parent, major:minor, …, "-", type. What is in memory has the major number 0.
      const [, minor, type] = /^\d+ \d+ 0:(\d+) .* - (\S+) /.exec(mount) ?? [];
      if (minor !== undefined && IN_MEMORY.has(type!)) devices.add(deviceNumber(Number(minor)));
    }
  }
  return devices;
}

/** As stat(2) gives it for the major number 0 (makedev(3)). */
function deviceNumber(minor: number): number {
  return (minor & 0xff) + (minor >> 8) * 2 ** 20;
}

interface DeletedFile {
  pid: string;
  device: number;
  inode: string;
  bytes: number;
}

/** Read line by line, so that the agent's memory does not grow with what an app keeps open. */
async function* deletedFilesOf(pids: readonly string[]): AsyncGenerator<DeletedFile> {
  if (pids.length === 0) return;
  const directories = pids.map((pid) => `/proc/${pid}/fd`);
  const conditions = ["-maxdepth", "1", "-type", "f", "-links", "0"];
  const argv = ["-L", ...directories, ...conditions, "-printf", String.raw`%h %D %i %b\n`];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  // Processes end while they are looked at: what find says of those is no failure.
  const find = spawn("find", argv, { env, timeout: SEARCH_MS_MAX, stdio: ["ignore", "pipe", "ignore"] });
  await once(find, "spawn");
  for await (const line of createInterface({ input: find.stdout })) {
    const [, pid, device, inode, blocks] = /^\/proc\/(\d+)\/fd (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    if (pid === undefined) continue;
    yield { pid, device: Number(device), inode: inode!, bytes: Number(blocks) * 512 };
  }
}
