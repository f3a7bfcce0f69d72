import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";

const OUTPUT_BYTES_MAX = 16 * 1024 ** 2;
const SEARCH_MS_MAX = 10_000;
/** Of one look: files of which an app keeps thousands open are small, or the first ones tell enough. */
const FILES_MAX = 10_000;

/** In memory, and counted there. */
const IN_MEMORY = /^\/(dev\/|memfd:|SYSV)/;

/**
 * Container → bytes of files that its processes have deleted and still hold open. They fill the disk like any other, and
 * are in no directory where du would find them.
 */
export async function measureDeletedFiles(containerIds: ReadonlySet<string>): Promise<Map<string, number>> {
  const owners = await ownersOfProcesses(containerIds);
  const found = (await deletedFilesOf([...owners.keys()])).slice(0, FILES_MAX);
  const bytes = new Map<string, number>();
  const counted = new Set<string>();
  for (const { pid, path } of found) {
    const file = await stat(path).catch(() => undefined);
    const owner = owners.get(pid);
    if (file === undefined || owner === undefined || !file.isFile() || file.nlink > 0) continue;
    const identity = `${file.dev}:${file.ino}`;
    if (counted.has(identity)) continue;
    counted.add(identity);
    bytes.set(owner, (bytes.get(owner) ?? 0) + file.blocks * 512);
  }
  return bytes;
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

function deletedFilesOf(pids: readonly string[]): Promise<{ pid: string; path: string }[]> {
  if (pids.length === 0) return Promise.resolve([]);
  const directories = pids.map((pid) => `/proc/${pid}/fd`);
  // Every name ends with a zero byte: an app may give its files any other.
  const argv = [...directories, "-maxdepth", "1", "-lname", "* (deleted)", "-printf", String.raw`%p %l\0`];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
  return new Promise((resolve) => {
    // Processes end while they are looked at.
    execFile("find", argv, { env, timeout: SEARCH_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }, (_error, stdout) => {
      const matches = stdout.split("\0").map((line) => /^(\/proc\/(\d+)\/fd\/\d+) (.*)$/s.exec(line));
      const onDisk = matches.filter((match) => match !== null).filter(([, , , name]) => !IN_MEMORY.test(name!));
      resolve(onDisk.map(([, path, pid]) => ({ pid: pid!, path: path! })));
    });
  });
}
