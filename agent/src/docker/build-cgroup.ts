import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface BuildCaps {
  memoryBytes: number;
  /** Thousandths of a CPU. */
  cpuMillis: number;
  pids: number;
}

export interface BuildCgroup {
  /** Sets the caps. @returns those that the host does not hold builds to, with why; empty when all are in force */
  apply(caps: BuildCaps): Promise<string[]>;
  /** How many processes of builds there are. */
  processCount(): Promise<number>;
}

/** One kernel setting of the group: file and value. */
interface Setting {
  controller: "memory" | "cpu" | "pids";
  file: string;
  value: string;
  /** Where the kernel has no such file, the rest still holds. */
  isOptional?: boolean;
}

/** The kernel's default. */
const PERIOD_US = 100_000;

function quotaUs(cpuMillis: number): number {
  return Math.round((cpuMillis / 1000) * PERIOD_US);
}

/**
 * The control group that the engine's BuildKit runs instructions in. Its limits hold over the sum of all builds; the
 * build call's own (`memory`, `cpuquota`) are ignored by BuildKit. The engine makes it with the first build, or uses
 * the one that is there.
 *
 * @param parent the engine's cgroup parent: "docker", or "system.slice:docker" under its systemd driver
 */
export function buildCgroup(parent: string, root = "/sys/fs/cgroup"): BuildCgroup {
  const group = join(parent, "buildkit");
  const isUnified = access(join(root, "cgroup.controllers")).then(
    () => true,
    () => false,
  );
  return {
    apply: async (caps) => {
      const failures = (await isUnified) ? await applyUnified(root, group, caps) : await applyLegacy(root, group, caps);
      return [...new Set(failures)];
    },
    processCount: async () => countProcesses((await isUnified) ? join(root, group) : join(root, "pids", group)),
  };
}

async function applyUnified(root: string, group: string, caps: BuildCaps): Promise<string[]> {
  const directory = join(root, group);
  const failure = await attempt(() => makeUnified(root, group));
  if (failure !== undefined) return [failure];
  return applyAll(unifiedSettings(caps), () => directory);
}

async function applyLegacy(root: string, group: string, caps: BuildCaps): Promise<string[]> {
  const directoryOf = (controller: string): string => join(root, controller, group);
  for (const controller of ["memory", "cpu", "pids"]) {
    const failure = await attempt(() => mkdir(directoryOf(controller), { recursive: true }));
    if (failure !== undefined) return [failure];
  }
  return applyAll(legacySettings(caps), directoryOf);
}

/** A group has a controller's files only if every group above it hands the controller down. */
async function makeUnified(root: string, group: string): Promise<void> {
  await mkdir(join(root, group), { recursive: true });
  const parts = group.split("/");
  for (const depth of parts.keys()) {
    const above = join(root, ...parts.slice(0, depth));
    await writeFile(join(above, "cgroup.subtree_control"), "+memory +cpu +pids");
  }
}

function unifiedSettings({ memoryBytes, cpuMillis, pids }: BuildCaps): Setting[] {
  return [
    { controller: "memory", file: "memory.max", value: String(memoryBytes) },
    { controller: "memory", file: "memory.swap.max", value: "0", isOptional: true },
    { controller: "cpu", file: "cpu.max", value: `${quotaUs(cpuMillis)} ${PERIOD_US}` },
    { controller: "pids", file: "pids.max", value: String(pids) },
  ];
}

/** Memory with swap may never be less than memory alone, so that one of the two orders fails; the third write mends it. */
function legacySettings({ memoryBytes, cpuMillis, pids }: BuildCaps): Setting[] {
  const memory = String(memoryBytes);
  return [
    { controller: "memory", file: "memory.limit_in_bytes", value: memory, isOptional: true },
    { controller: "memory", file: "memory.memsw.limit_in_bytes", value: memory, isOptional: true },
    { controller: "memory", file: "memory.limit_in_bytes", value: memory },
    { controller: "cpu", file: "cpu.cfs_period_us", value: String(PERIOD_US) },
    { controller: "cpu", file: "cpu.cfs_quota_us", value: String(quotaUs(cpuMillis)) },
    { controller: "pids", file: "pids.max", value: String(pids) },
  ];
}

async function applyAll(settings: Setting[], directoryOf: (controller: string) => string): Promise<string[]> {
  const failures: string[] = [];
  for (const { controller, file, value, isOptional } of settings) {
    const failure = await attempt(() => writeAndCheck(join(directoryOf(controller), file), value));
    if (failure !== undefined && !isOptional) failures.push(`${controller}: ${failure}`);
  }
  return failures;
}

/** The kernel may take a value and hold another; it rounds memory down to whole pages. */
async function writeAndCheck(file: string, value: string): Promise<void> {
  await writeFile(file, value);
  const held = (await readFile(file, "utf8")).trim();
  const isHeld = held === value || Math.abs(Number(held) - Number(value)) < 64 * 1024;
  if (!isHeld) throw new Error(`${file} holds ${held}, not ${value}`);
}

async function attempt(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Each RUN has a group of its own below. */
async function countProcesses(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const groups = entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
  const counts = await Promise.all(
    groups.map(async (group) => {
      const own = await readFile(join(group, "cgroup.procs"), "utf8").catch(() => "");
      return own.split("\n").filter(Boolean).length + (await countProcesses(group));
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
