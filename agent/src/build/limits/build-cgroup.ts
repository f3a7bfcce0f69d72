import { readdirSync } from "node:fs";
import { access, constants, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BuildProcess } from "./build-processes.ts";
import {
  CGROUP_ROOT,
  groupDirectory,
  isUnifiedHierarchy,
  parseCgroups,
  type Controller,
} from "../../engine/cgroup-paths.ts";
import { readKernelFile } from "../../platform/kernel-files.ts";

export interface BuildCaps {
  memoryBytes: number;
  /** Thousandths of a CPU. */
  cpuMillis: number;
  pids: number;
}

const CONTROLLERS: readonly Controller[] = ["memory", "cpu", "pids"];

/** A control group: its path within each controller's hierarchy; one and the same in the unified hierarchy. */
export interface Cgroup {
  paths: Readonly<Record<Controller, string>>;
  /** Whether all instructions of the engine are in it, or one alone. */
  isShared: boolean;
}

/** The kernel's control groups, as a build's caps need them. */
export interface Cgroups {
  /** The group that is to be capped for an instruction; undefined while the instruction has none of its own yet. */
  find(process: BuildProcess): Promise<Cgroup | undefined>;
  /** Makes a shared group when it is missing. @returns why the caps are not in force, one reason for each controller */
  cap(group: Cgroup, caps: BuildCaps): Promise<string[]>;
  processes(group: Cgroup): Promise<number[]>;
  /** Bytes of memory that processes of the group hold: without files, which the kernel drops before it kills. */
  memoryBytes(group: Cgroup): Promise<number>;
  /** Why groups can't be capped at all by this process; undefined when they can. */
  refusal(): Promise<string | undefined>;
}

/** One kernel setting of the group: file and value. */
interface Setting {
  controller: Controller;
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

/** The name that BuildKit gives the parent of its instructions' groups, wherever the engine's own parent is. */
const SHARED_NAME = "buildkit";

/** @param processes where the kernel tells of processes; a folder of its own in tests, like `root` */
export function createCgroups(root = CGROUP_ROOT, processes = "/proc"): Cgroups {
  const isUnified = isUnifiedHierarchy(root);
  const directoryOf = async ({ paths }: Cgroup, controller: Controller): Promise<string> =>
    groupDirectory(root, await isUnified, controller, paths[controller]);

  async function make(group: Cgroup): Promise<void> {
    if (await isUnified) return makeUnified(root, group.paths.memory);
    for (const controller of CONTROLLERS) await mkdir(await directoryOf(group, controller), { recursive: true });
  }

  return {
    async find({ id, pid }) {
      const text = readKernelFile(join(processes, String(pid), "cgroup"));
      return groupOf(id, parseCgroups(text, await isUnified));
    },
    async cap(group, caps) {
      // The group of one instruction comes and goes with it.
      const failure = group.isShared ? await attempt(() => make(group)) : undefined;
      if (failure !== undefined) return [`memory: ${failure}`];
      const settings = (await isUnified) ? unifiedSettings(caps) : legacySettings(caps);
      return applyAll(settings, (controller) => directoryOf(group, controller));
    },
    processes: async (group) => processesIn(await directoryOf(group, "pids")),
    async memoryBytes(group) {
      const stat = readKernelFile(join(await directoryOf(group, "memory"), "memory.stat"));
      const counted = (await isUnified) ? ["anon", "shmem"] : ["total_rss", "total_shmem"];
      return counted.reduce((sum, name) => sum + Number(new RegExp(`^${name} (\\d+)$`, "m").exec(stat)?.[1] ?? 0), 0);
    },
    async refusal() {
      const places = (await isUnified) ? [root] : CONTROLLERS.map((controller) => join(root, controller));
      return attempt(() => Promise.all(places.map((place) => access(place, constants.W_OK))));
    },
  };
}

/** A process that is only being started is still in the engine's own group, which is not to be capped. */
function groupOf(id: string, { memory, cpu, pids }: Partial<Record<Controller, string>>): Cgroup | undefined {
  if (memory === undefined || cpu === undefined || pids === undefined) return undefined;
  const own = [memory, cpu, pids];
  if (!own.every((path) => basename(path).endsWith(id))) return undefined;
  if (!own.every((path) => basename(dirname(path)) === SHARED_NAME)) {
    return { paths: { memory, cpu, pids }, isShared: false };
  }
  return { paths: { memory: dirname(memory), cpu: dirname(cpu), pids: dirname(pids) }, isShared: true };
}

/** A group has a controller's files only if every group above it hands the controller down. */
async function makeUnified(root: string, group: string): Promise<void> {
  await mkdir(join(root, group), { recursive: true });
  const parts = group.split("/").filter(Boolean);
  for (const depth of parts.keys()) {
    const above = join(root, ...parts.slice(0, depth));
    await writeFile(join(above, "cgroup.subtree_control"), "+memory +cpu +pids");
  }
}

/** Sets, beside the caps, a tenth of the weight that an app's container has: a build takes what serving leaves. */
function unifiedSettings({ memoryBytes, cpuMillis, pids }: BuildCaps): Setting[] {
  return [
    { controller: "memory", file: "memory.max", value: String(memoryBytes) },
    { controller: "memory", file: "memory.swap.max", value: "0", isOptional: true },
    { controller: "cpu", file: "cpu.max", value: `${quotaUs(cpuMillis)} ${PERIOD_US}` },
    { controller: "cpu", file: "cpu.weight", value: "10", isOptional: true },
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
    { controller: "cpu", file: "cpu.shares", value: "102", isOptional: true },
    { controller: "pids", file: "pids.max", value: String(pids) },
  ];
}

async function applyAll(
  settings: Setting[],
  directoryOf: (controller: Controller) => Promise<string>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const { controller, file, value, isOptional } of settings) {
    const directory = await directoryOf(controller);
    const failure = await attempt(() => writeAndCheck(join(directory, file), value));
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
function processesIn(directory: string): number[] {
  const own = readKernelFile(join(directory, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
  return [...own, ...groupsIn(directory).flatMap((name) => processesIn(join(directory, name)))];
}

function groupsIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
