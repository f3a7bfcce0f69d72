import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, statfs } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { DiskUse } from "../domain/disk-limits.ts";

/** A million open files; what is known by then is used. */
const SEARCH_MS_MAX = 10_000;

/** File systems in memory, whose files are counted there, by the magic numbers of statfs(2). */
const IN_MEMORY: ReadonlySet<number> = new Set([
  0x0102_1994, // tmpfs: memfd_create(2), shared anonymous memory and that of System V are on one, too
  0x8584_58f6, // ramfs
  0x9584_58f6, // hugetlbfs
  0x1980_0202, // mqueue
]);

/**
 * Container → what files take that its processes have deleted and still hold, open or mapped. They fill the disk like any
 * other, and are in no directory where du would find them. What tells them is their device and their links: an app chooses names.
 */
export async function measureDeletedFiles(containerIds: ReadonlySet<string>): Promise<Map<string, DiskUse>> {
  const owners = await ownersOfProcesses(containerIds);
  const uses = new Map<string, DiskUse>();
  const devices = new Map<number, boolean>();
  /** A file may be held often. The names here are a tenth of what each open file takes of its app's own memory. */
  const counted = new Set<string>();
  for await (const { link, pid, device, inode, bytes } of deletedFilesOf([...owners.keys()])) {
    const [owner, identity] = [owners.get(pid)!, `${device}:${inode}`];
    if (counted.has(identity) || (await isInMemory(link, device, devices))) continue;
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

/**
 * Asks the kernel once for each device, as some are mounted nowhere. A file that was let go meanwhile counts as one of the
 * disk, and tells nothing of its device.
 */
async function isInMemory(link: string, device: number, known: Map<number, boolean>): Promise<boolean> {
  if (!known.has(device)) {
    const fileSystem = await statfs(link).catch(() => undefined);
    if (fileSystem === undefined) return false;
    known.set(device, IN_MEMORY.has(fileSystem.type));
  }
  return known.get(device)!;
}

interface DeletedFile {
  /** Leads to the file, as long as the process holds it. */
  link: string;
  pid: string;
  device: number;
  inode: string;
  bytes: number;
}

/** Read line by line, so that the agent's memory does not grow with what an app holds. */
async function* deletedFilesOf(pids: readonly string[]): AsyncGenerator<DeletedFile> {
  if (pids.length === 0) return;
  // Open files come first: a process may have more mappings than a search of that time looks at.
  const directories = ["fd", "map_files"].flatMap((name) => pids.map((pid) => `/proc/${pid}/${name}`));
  const conditions = ["-maxdepth", "1", "-type", "f", "-links", "0"];
  const argv = ["-L", ...directories, ...conditions, "-printf", String.raw`%p %D %i %b\n`];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  // Processes end while they are looked at: what find says of those is no failure.
  const find = spawn("find", argv, { env, timeout: SEARCH_MS_MAX, stdio: ["ignore", "pipe", "ignore"] });
  await once(find, "spawn");
  for await (const line of createInterface({ input: find.stdout })) {
    const [, link, pid, device, inode, blocks] = /^(\/proc\/(\d+)\/\S+) (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    if (link === undefined) continue;
    yield { link, pid: pid!, device: Number(device), inode: inode!, bytes: Number(blocks) * 512 };
  }
}
