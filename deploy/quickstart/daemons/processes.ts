import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Processes of this machine, as /proc shows them (proc(5)). Only what they are tells whose they are: pids come back. */
export interface Process {
  pid: number;
  argv: string[];
}

const POLL_MS = 50;

export function listProcesses(): Process[] {
  const pids = readdirSync("/proc")
    .filter((entry) => /^[0-9]+$/.test(entry))
    .map(Number);
  return pids.map((pid) => ({ pid, argv: readFields(`/proc/${pid}/cmdline`) })).filter(({ argv }) => argv.length > 0);
}

/** Processes with an argument that is the folder or lies in it, and the proxy, which only runs there. */
export function processesNaming(directory: string): Process[] {
  const names = (argument: string): boolean => argument === directory || argument.includes(`${directory}/`);
  return listProcesses().filter(({ pid, argv }) => {
    return pid !== process.pid && (argv.some(names) || (isProxy(argv) && names(workingDirectoryOf(pid))));
  });
}

/** A Caddy that an agent started (agent/src/edge/caddy/caddy-process.ts). A person's shell may run in the folder, too. */
function isProxy([, command, option]: readonly string[]): boolean {
  return command === "run" && option === "--config";
}

/** Empty when the process is gone or another user's. */
function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** A variable of the environment that the process was started with. */
export function variableOf(pid: number, name: string): string | undefined {
  const prefix = `${name}=`;
  return readFields(`/proc/${pid}/environ`)
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Zero-terminated strings; none when the process is gone or another user's. */
function readFields(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/** Ends processes and waits until they are gone; SIGKILL for those that are still there after `graceMs`. */
export async function endProcesses(processes: readonly Process[], graceMs: number): Promise<void> {
  for (const { pid } of processes) signal(pid, "SIGTERM");
  const deadline = Date.now() + graceMs;
  let left = processes.filter(isAlive);
  while (left.length > 0 && Date.now() < deadline) {
    await delay(POLL_MS);
    left = left.filter(isAlive);
  }
  for (const { pid } of left) signal(pid, "SIGKILL");
  while (left.length > 0) {
    await delay(POLL_MS);
    left = left.filter(isAlive);
  }
}

/** Alive, not a zombie (which has no arguments any more), and not another process with the same pid. */
export function isAlive({ pid, argv }: Process): boolean {
  return readFields(`/proc/${pid}/cmdline`).join("\0") === argv.join("\0");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in the meantime.
  }
}

/** The process that listens on a TCP port, undefined when none does or it cannot be seen. */
export function listenerOn(port: number): Process | "unknown" | undefined {
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return undefined;
  return listProcesses().find(({ pid }) => holdsSocket(pid, inodes)) ?? "unknown";
}

/** Is for people. */
export function describeListener(listener: Process | "unknown"): string {
  if (listener === "unknown") return "A process that cannot be seen";
  return `${basename(listener.argv[0] ?? "")} (process ${listener.pid})`;
}

/** Column 2 of /proc/net/tcp is address:port in hexadecimal, 4 the state (0A listens), 10 the socket's inode. */
function listeningInodes(port: number): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((file) => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  });
  const rows = tables.flatMap((table) => table.split("\n").slice(1)).map((line) => line.trim().split(/\s+/));
  return new Set(rows.filter((row) => row[1]?.endsWith(suffix) && row[3] === "0A").map((row) => row[9] ?? ""));
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const match = /^socket:\[([0-9]+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`));
      return match !== null && inodes.has(match[1] ?? "");
    });
  } catch {
    return false;
  }
}
