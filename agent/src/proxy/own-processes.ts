import { readdir, readFile } from "node:fs/promises";
import { systemClock } from "@svc/shared/clock.ts";
import { isErrno } from "../durable-file.ts";

const POLL_MS = 20;

export interface EndOptions {
  signal: "SIGTERM" | "SIGKILL";
  /** When what is still there is killed. */
  killAfterMs: number;
}

/**
 * Ends the processes of this host whose arguments are meant, and waits until they are gone. A pid that was written down
 * may be another process's by now; what a process was started with tells whose it is.
 */
export async function endOwnProcesses(
  isOurs: (argv: readonly string[]) => boolean,
  options: EndOptions,
): Promise<void> {
  const deadline = Date.now() + options.killAfterMs;
  let { signal } = options;
  for (let pids: number[]; (pids = await find(isOurs)).length > 0;) {
    for (const pid of pids) send(pid, signal);
    await systemClock.sleep(POLL_MS);
    if (Date.now() > deadline) signal = "SIGKILL";
  }
}

async function find(isOurs: (argv: readonly string[]) => boolean): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const found = await Promise.all(pids.map(async (pid) => isOurs(await argumentsOf(pid))));
  return pids.filter((_, at) => found[at]);
}

/** None when it has ended. */
async function argumentsOf(pid: number): Promise<string[]> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.split("\0").slice(0, -1);
}

function send(pid: number, signal: EndOptions["signal"]): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrno(error, "ESRCH")) throw error;
  }
}
