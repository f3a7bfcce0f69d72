import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The pattern of BuildKit's names of instructions, and with them of their bundles and control groups. */
const INSTRUCTION_ID = /^[a-z0-9]{25}$/;
/** The last part of a control group's path, by any of the engine's drivers. */
const ID_IN_CGROUP = /[/:-]([a-z0-9]{25})(?:\.scope)?$/gm;

/**
 * findOrphanedBuilds finds the processes of builds whose engine was killed: the runner of an instruction ends with its
 * engine, what it ran does not, and no later engine knows of it. Only processes in a control group that is named as an
 * instruction of this engine count.
 */
export async function findOrphanedBuilds(engineDirectory: string, processes = "/proc"): Promise<number[]> {
  const bundles = await readdir(join(engineDirectory, "buildkit/executor")).catch(() => []);
  const ids = new Set(bundles.filter((name) => INSTRUCTION_ID.test(name)));
  if (ids.size === 0) return [];
  const pids = (await readdir(processes)).map(Number).filter(Number.isInteger);
  const read = (pid: number, file: string): Promise<string> =>
    readFile(join(processes, String(pid), file), "utf8").catch(() => "");
  const found = await Promise.all(
    pids.map(async (pid) => {
      const groups = [...(await read(pid, "cgroup")).matchAll(ID_IN_CGROUP)].map(([, id]) => id!);
      return { pid, id: groups.find((id) => ids.has(id)), runs: runnerOf(await read(pid, "cmdline")) };
    }),
  );
  const alive = new Set(found.map(({ runs }) => runs));
  return found.filter(({ id }) => id !== undefined && !alive.has(id)).map(({ pid }) => pid);
}

/** Names the instruction that a `runc run` runs, from its command line. */
function runnerOf(commandLine: string): string | undefined {
  const argv = commandLine.split("\0").filter(Boolean);
  return argv.includes("run") && argv.includes("--bundle") ? argv.at(-1) : undefined;
}

/** @returns how many there were */
export async function endOrphanedBuilds(engineDirectory: string): Promise<number> {
  const pids = await findOrphanedBuilds(engineDirectory);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended with the first process of its container.
    }
  }
  return pids.length;
}
