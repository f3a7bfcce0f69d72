import { readFile, readdir, readlink } from "node:fs/promises";

/** State of a listening socket in /proc/net/tcp (Linux, include/net/tcp_states.h). */
const LISTENING = "0A";

/**
 * Names the process that listens on the TCP port, such as `nginx (pid 812)`; undefined when it can't be found: another
 * user's process, or none of this host's process table.
 */
export async function findPortHolder(port: number): Promise<string | undefined> {
  const inodes = new Set([
    ...listeningInodes(await readOrEmpty("/proc/net/tcp"), port),
    ...listeningInodes(await readOrEmpty("/proc/net/tcp6"), port),
  ]);
  if (inodes.size === 0) return undefined;
  const sockets = new Set([...inodes].map((inode) => `socket:[${inode}]`));
  for (const pid of await listOrEmpty("/proc")) {
    if (!/^[0-9]+$/.test(pid) || !(await holdsOneOf(pid, sockets))) continue;
    const name = (await readOrEmpty(`/proc/${pid}/comm`)).trim();
    return `${name === "" ? "a process" : name} (pid ${pid})`;
  }
  return undefined;
}

/** Inodes of the sockets that listen on the port, from a table such as /proc/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

async function holdsOneOf(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  for (const descriptor of await listOrEmpty(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
    if (sockets.has(target)) return true;
  }
  return false;
}

function readOrEmpty(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

function listOrEmpty(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
