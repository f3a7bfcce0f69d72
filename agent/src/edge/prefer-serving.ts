import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Ten times the share of a process at 0 (sched(7), "The nice value"): what serves goes before what deploys. */
const NICENESS = -10;

/**
 * Lets a process that serves requests go before builds and the daemons when the processors are busy. An agent that does
 * not run as root may not, and changes nothing.
 */
export function preferServing(pid: number): void {
  // Threads have a priority each; those that are started later have that of the one which starts them.
  attempt(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) attempt(() => setPriority(Number(thread), NICENESS));
  });
  // Where the kernel weighs sessions against one another, a process weighs only within its own.
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS)));
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Everything works as well without it, only later on a busy host.
  }
}
