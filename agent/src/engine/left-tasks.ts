import { readdir, readFile, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { isErrno } from "../platform/durable-file.ts";
import { engineMessage } from "./errors.ts";

/** The message of containerd, whose word for a running container is task. */
const TASK_LEFT = /^task [0-9a-f]{64}: already exists/;

/** containerd makes a directory, its bundle, for each task. */
const BUNDLE_LEFT =
  /failed to start shim: mkdir (\/\S+\/io\.containerd\.runtime\.v2\.task\/[\w.-]+\/([0-9a-f]{64})): file exists/;

/**
 * Whether the engine refuses to start a container because containerd has a task of it, or the bundle of one. An engine that
 * was killed while it started the container does not know of it, and so refuses for good (decision 041).
 */
export function isTaskLeft(error: unknown): boolean {
  return TASK_LEFT.test(engineMessage(error).replace(STATUS, "")) || BUNDLE_LEFT.test(engineMessage(error));
}

const STATUS = /^\(HTTP code \d+\) [a-z ]+ - /;

/**
 * Clears away what the refusal is about.
 * @param refusal one that isTaskLeft
 */
export async function clearLeftTask(containerId: string, refusal: unknown): Promise<void> {
  await endLeftTask(containerId);
  const [, bundle, id] = BUNDLE_LEFT.exec(engineMessage(refusal)) ?? [];
  if (bundle === undefined || id !== containerId) return;
  await removeBundle(bundle).catch((error: unknown) => {
    // containerd has removed it itself.
    if (!isErrno(error, "ENOENT")) throw error;
  });
}

/** Removes no files below its directories: a container's own may be mounted there. */
async function removeBundle(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    await (entry.isDirectory() ? rmdir(path) : unlink(path));
  }
  await rmdir(directory);
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
