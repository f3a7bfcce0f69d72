import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { engineMessage } from "./errors.ts";

/** The message of containerd, whose word for a running container is task. */
const TASK_LEFT = /^task [0-9a-f]{64}: already exists/;

/**
 * Whether the engine refuses to start a container because containerd has a task of it. An engine that was killed
 * between having the task made and noting it down does not know of it, and so refuses for good.
 */
export function isTaskLeft(error: unknown): boolean {
  return TASK_LEFT.test(engineMessage(error).replace(/^\(HTTP code \d+\) [a-z ]+ - /, ""));
}

/** Ends what holds the container's task, whereupon containerd clears it away. @returns how many processes that were */
export async function endLeftTask(containerId: string, processes = "/proc"): Promise<number> {
  const pids = (await readdir(processes)).map(Number).filter(Number.isInteger);
  const found = await Promise.all(pids.map((pid) => isShimOf(containerId, join(processes, String(pid), "cmdline"))));
  const shims = pids.filter((_pid, index) => found[index]);
  for (const pid of shims) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  return shims.length;
}

/** `containerd-shim-runc-v2 -namespace moby -id <container> -address …` */
async function isShimOf(containerId: string, commandLineFile: string): Promise<boolean> {
  const [program = "", ...args] = (await readFile(commandLineFile, "utf8").catch(() => "")).split("\0");
  return basename(program).startsWith("containerd-shim") && args[args.indexOf("-id") + 1] === containerId;
}
