import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { boundedGit, UPKEEP_BOUNDS } from "./git-bounds.ts";
import { gitEnvironment } from "./git-environment.ts";

/** Each push leaves a pack, and git looks for an object in all of them. */
export const PACKS_MAX = 20;

/** Each changed ref is a file of its own until they are written into one. */
const LOOSE_REFS_MAX = 200;

/** Much longer than a push may take: what it brings belongs to no ref until its end. */
const UNREACHABLE_KEPT = "1.hour.ago";

const STDERR_CHARACTERS = 2_000;

/** Names of what git writes before it has its final name, and of locks. */
const LEFTOVER = /^(tmp_|\.tmp-)|\.(lock|keep)$|^gc\.pid$/;

/** Removes what a git that was killed before then has left behind: half of a pack, or a lock that nobody holds. */
export async function removeLeftovers(path: string, before: Date): Promise<void> {
  const folders = ["", "objects", "objects/pack", "objects/info", ...(await foldersOfRefs(path))];
  for (const folder of folders) {
    for (const name of await readdir(join(path, folder)).catch(() => [])) {
      if (!LEFTOVER.test(name)) continue;
      const leftover = join(path, folder, name);
      const stats = await stat(leftover).catch(() => undefined);
      if (stats && stats.mtime < before) await rm(leftover, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

async function foldersOfRefs(path: string): Promise<string[]> {
  const entries = await readdir(join(path, "refs"), { recursive: true, withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory());
  return ["refs", ...folders.map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))];
}

/** Whether there are many packs or loose refs. */
export async function needsRepack(path: string): Promise<boolean> {
  const packs = await readdir(join(path, "objects", "pack")).catch(() => []);
  if (packs.filter((name) => name.endsWith(".pack")).length > PACKS_MAX) return true;
  const refs = await readdir(join(path, "refs"), { recursive: true }).catch(() => []);
  return refs.length > LOOSE_REFS_MAX;
}

/**
 * Writes all that is reachable into one pack, what is not into another, and drops what has not been for an hour. git takes
 * a lock, and each file gets its name only when it is whole: a crash at any moment leaves a valid repository.
 * @throws Error with git's own words when it fails, or hits a bound; the signal's reason when it is aborted
 */
export async function repack(path: string, signal: AbortSignal): Promise<void> {
  const argv = ["--git-dir", path, "gc", "--quiet", "--cruft", `--prune=${UNREACHABLE_KEPT}`];
  const child = spawn(...boundedGit(UPKEEP_BOUNDS, argv), {
    cwd: "/",
    env: gitEnvironment({}, UPKEEP_BOUNDS),
    // A group of its own: what gc starts ends with it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_CHARACTERS)));
  const ending = AbortSignal.any([signal, AbortSignal.timeout(UPKEEP_BOUNDS.msMax)]);
  const kill = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
  };
  ending.addEventListener("abort", kill, { once: true });
  try {
    const [code, killedBy] = (await once(child, "close")) as [number | null, string | null];
    ending.throwIfAborted();
    if (code !== 0) throw new Error(`git gc of ${basename(path)} ended with ${killedBy ?? code}: ${stderr.trim()}`);
  } finally {
    ending.removeEventListener("abort", kill);
    kill();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}
