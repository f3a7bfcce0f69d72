import { readdir, readFile, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { isErrno } from "../platform/durable-file.ts";
import { engineMessage } from "./errors.ts";

/** The message of containerd, whose word for a running container is task. */
const TASK_LEFT = /^task [0-9a-f]{64}: already exists/;

/** containerd makes a directory, its bundle, for each task. */
const BUNDLE_LEFT =
  /^(?:failed to create task for container: )?failed to start shim: mkdir (\/\S+\/io\.containerd\.runtime\.v2\.task\/[\w.-]+\/([0-9a-f]{64})): file exists/;

/** runc clears its own state away as it refuses. */
const STATE_LEFT =
  /^(?:failed to create (?:task for container|shim task): )*OCI runtime create failed: (?:runc create failed: )?container with given ID already exists/;

/**
 * Whether the engine refuses to start a container because containerd has a task of it, or the bundle or the state of one. An
 * engine that was killed while it started the container does not know of it, and so refuses for good (decision 041).
 */
export function isTaskLeft(error: unknown): boolean {
  return [TASK_LEFT, BUNDLE_LEFT, STATE_LEFT].some((left) => left.test(reasonOf(error)));
}

const STATUS = /^\(HTTP code \d+\) [a-z ]+ - /;
const reasonOf = (error: unknown): string => engineMessage(error).replace(STATUS, "");

/**
 * Clears away what the refusal is about: what holds the container's task, or its bundle when nothing does.
 * @param refusal one that isTaskLeft
 * @returns whether anything was there to clear away, or clears itself away: the next start may succeed
 */
export async function clearLeftTask(containerId: string, refusal: unknown, processes = "/proc"): Promise<boolean> {
  if (STATE_LEFT.test(reasonOf(refusal))) return true;
  const { holding, clearing } = await shimsOf(containerId, processes);
  for (const pid of holding) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  // containerd clears away after a shim that has ended; what it leaves is there at the next refusal.
  if (holding.length > 0 || clearing.length > 0) return true;
  const [, bundle, id] = BUNDLE_LEFT.exec(reasonOf(refusal)) ?? [];
  if (bundle === undefined || id !== containerId) return false;
  await removeBundle(bundle).catch((error: unknown) => {
    // containerd has removed it itself.
    if (!isErrno(error, "ENOENT")) throw error;
  });
  return true;
}

/** Removes no files below its directories, and none at all when these hold any: a container's own may be mounted there. */
async function removeBundle(bundle: string): Promise<void> {
  const entries = await readdir(bundle, { withFileTypes: true });
  const directories = entries.filter((entry) => entry.isDirectory());
  const files = entries.filter((entry) => !entry.isDirectory());
  for (const { name } of directories) await rmdir(join(bundle, name));
  for (const { name } of files) await unlink(join(bundle, name));
  await rmdir(bundle);
}

interface Shims {
  holding: readonly number[];
  /** Were started by containerd after the one that held the task. */
  clearing: readonly number[];
}

/** `containerd-shim-runc-v2 -namespace moby -id <container> -address …`; one that clears away ends in `delete`. */
async function shimsOf(containerId: string, processes: string): Promise<Shims> {
  const pids = (await readdir(processes)).map(Number).filter(Number.isInteger);
  const lines = await Promise.all(
    pids.map((pid) => readFile(join(processes, String(pid), "cmdline"), "utf8").catch(() => "")),
  );
  const shims = pids.flatMap((pid, index) => {
    const [program = "", ...args] = lines[index]!.split("\0").filter((arg) => arg !== "");
    const isOf = basename(program).startsWith("containerd-shim") && args[args.indexOf("-id") + 1] === containerId;
    return isOf ? [{ pid, isClearing: args.at(-1) === "delete" }] : [];
  });
  const pidsThat = (isClearing: boolean) =>
    shims.filter((shim) => shim.isClearing === isClearing).map(({ pid }) => pid);
  return { holding: pidsThat(false), clearing: pidsThat(true) };
}
