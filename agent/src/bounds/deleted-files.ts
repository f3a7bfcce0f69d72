import { spawn } from "node:child_process";
import { once } from "node:events";
import { statfs } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { DiskUse } from "../engine/disk-limits.ts";
import { listKernelFolder, readKernelFile } from "../platform/kernel-files.ts";

/** A million open files; what is known by then is used. */
const SEARCH_MS_MAX = 10_000;

/** This is far below what the arguments of a program may hold. */
const DIRECTORIES_PER_SEARCH = 10_000;

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
  const processes = await processesOf(containerIds);
  const owners = new Map(processes.flatMap(({ owner, threads }) => threads.map((thread) => [thread, owner])));
  const uses = new Map<string, DiskUse>();
  const devices = new Map<number, boolean>();
  /** A file may be held often. The names here are a tenth of what each open file takes of its app's own memory. */
  const counted = new Set<string>();
  for await (const { link, thread, device, inode, bytes } of deletedFilesOf(processes)) {
    const [owner, identity] = [owners.get(thread)!, `${device}:${inode}`];
    if (counted.has(identity) || (await isInMemory(link, device, devices))) continue;
    counted.add(identity);
    const use = uses.get(owner) ?? { bytes: 0, files: 0 };
    uses.set(owner, { bytes: use.bytes + bytes, files: use.files + 1 });
  }
  return uses;
}

interface Process {
  /** The container's id. */
  owner: string;
  /** The first thread is listed even after it has ended, and has no files and no memory then. */
  threads: readonly string[];
}

/** While it looks at these, some milliseconds, the agent does nothing else. */
const PROCESSES_AT_ONCE = 100;

async function processesOf(containerIds: ReadonlySet<string>): Promise<Process[]> {
  const pids = listKernelFolder("/proc").filter((name) => /^\d+$/.test(name));
  const processes: Process[] = [];
  for (let start = 0; start < pids.length; start += PROCESSES_AT_ONCE) {
    const found = pids.slice(start, start + PROCESSES_AT_ONCE).map((pid) => processOf(pid, containerIds));
    processes.push(...found.filter((process) => process !== undefined));
    await setImmediate();
  }
  return processes;
}

/** The engine names the control group of a container after its id, whatever the driver and version are. */
function processOf(pid: string, containerIds: ReadonlySet<string>): Process | undefined {
  const threads = listKernelFolder(`/proc/${pid}/task`);
  // With control groups of version 1, a thread that has ended is in none.
  for (const thread of ends(threads)) {
    const owner = /[0-9a-f]{64}/.exec(readKernelFile(`/proc/${thread}/cgroup`))?.[0];
    if (owner !== undefined && containerIds.has(owner)) return { owner, threads };
  }
  return undefined;
}

function ends(threads: readonly string[]): string[] {
  return [...new Set([threads[0], threads.at(-1)])].filter((thread) => thread !== undefined);
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
  /** Leads to the file, as long as the thread holds it. */
  link: string;
  thread: string;
  device: number;
  inode: string;
  bytes: number;
}

/**
 * Is read line by line, so that the agent's memory does not grow with what an app holds. Threads share their memory,
 * but each can have open files of its own (unshare(2)); /proc has a folder for each of them, and lists only the first
 * one.
 */
async function* deletedFilesOf(processes: readonly Process[]): AsyncGenerator<DeletedFile> {
  // First threads come first, and threads last: a process may have more of both than a search of that time looks at.
  const directories = [
    ...processes.map(({ threads }) => `/proc/${threads[0]}/fd`),
    ...processes.flatMap(({ threads }) => ends(threads).map((thread) => `/proc/${thread}/map_files`)),
    ...processes.flatMap(({ threads }) => threads.slice(1).map((thread) => `/proc/${thread}/fd`)),
  ];
  const signal = AbortSignal.timeout(SEARCH_MS_MAX);
  for (let start = 0; start < directories.length && !signal.aborted; start += DIRECTORIES_PER_SEARCH) {
    yield* findDeleted(directories.slice(start, start + DIRECTORIES_PER_SEARCH), signal);
  }
}

async function* findDeleted(directories: readonly string[], signal: AbortSignal): AsyncGenerator<DeletedFile> {
  const conditions = ["-maxdepth", "1", "-type", "f", "-links", "0"];
  const argv = ["-L", ...directories, ...conditions, "-printf", String.raw`%p %D %i %b\n`];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  // Processes end while they are looked at: what find says of those is no failure.
  const find = spawn("find", argv, { env, stdio: ["ignore", "pipe", "ignore"] });
  await once(find, "spawn");
  const stop = (): void => void find.kill();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    for await (const line of createInterface({ input: find.stdout })) {
      const [, link, thread, device, inode, blocks] = /^(\/proc\/(\d+)\/\S+) (\d+) (\d+) (\d+)$/.exec(line) ?? [];
      if (link === undefined) continue;
      yield { link, thread: thread!, device: Number(device), inode: inode!, bytes: Number(blocks) * 512 };
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
