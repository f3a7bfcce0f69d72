import { readdir, readFile, readlink } from "node:fs/promises";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";

const POLL_MS = 20;
/** The wait after SIGKILL; only the kernel can hold one longer. */
const GONE_MS_MAX = 10_000;

export interface EndOptions {
  signal: "SIGTERM" | "SIGKILL";
  /** When what is still there is killed. */
  killAfterMs: number;
}

export interface ProcessFacts {
  argv: readonly string[];
  /** Its working directory; empty where this user may not look. */
  cwd: string;
}

/**
 * Ends the processes of this host whose facts are meant, and waits until they are gone. A pid that was written down
 * may be another process's by now; what a process was started with tells whose it is. Those of containers are never
 * meant: apps choose their own arguments.
 * @throws SvcError proxy_unavailable when one does not end
 */
export async function endOwnProcesses(
  isOurs: (process: ProcessFacts) => boolean,
  { signal, killAfterMs }: EndOptions,
): Promise<void> {
  const killAt = Date.now() + killAfterMs;
  const giveUpAt = killAt + GONE_MS_MAX;
  for (let pids: number[]; (pids = await find(isOurs)).length > 0; await systemClock.sleep(POLL_MS)) {
    if (Date.now() > giveUpAt) {
      throw new SvcError(
        "proxy_unavailable",
        `The process ${pids.join(", ")}, which an earlier agent started, does not end. End it.`,
      );
    }
    for (const pid of pids) send(pid, Date.now() > killAt ? "SIGKILL" : signal);
  }
}

/** Whether there is one of them on this host. */
export async function areRunning(isOurs: (process: ProcessFacts) => boolean): Promise<boolean> {
  return (await find(isOurs)).length > 0;
}

async function find(isOurs: (process: ProcessFacts) => boolean): Promise<number[]> {
  const namespace = await namespaceOf("self");
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [argv, cwd] = await Promise.all([argumentsOf(pid), workingDirectoryOf(pid)]);
      return isOurs({ argv, cwd }) && (await namespaceOf(pid)) === namespace;
    }),
  );
  return pids.filter((_, at) => found[at]);
}

/** None when it has ended. */
async function argumentsOf(pid: number): Promise<string[]> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.split("\0").slice(0, -1);
}

/** Reads the process's working directory; for a deleted one, where it was. */
async function workingDirectoryOf(pid: number): Promise<string> {
  const path = await readlink(`/proc/${pid}/cwd`).catch(() => "");
  return path.replace(/ \(deleted\)$/, "");
}

/**
 * Reads the namespace of process ids, of which each container has its own. Empty for a process that has ended, or that
 * this user may not look at.
 */
function namespaceOf(pid: number | "self"): Promise<string> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => "");
}

function send(pid: number, signal: EndOptions["signal"]): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime; one that may not be ended is reported when the time is up.
  }
}
