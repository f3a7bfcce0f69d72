import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface BuildCaps {
  memoryBytes: number;
  /** Thousandths of a CPU. */
  cpuMillis: number;
  pids: number;
}

export interface CapResult {
  /** Groups that the caps were written to. */
  groups: number;
  /** Whether the memory of builds is capped in each of them. */
  isMemoryCapped: boolean;
  /** What the host does not hold builds to, with why; empty when all caps are in force. */
  failures: string[];
}

/** `cgroupfs`: one group for all builds, made beforehand. `systemd`: one for each instruction, found while it runs. */
export type CgroupDriver = "cgroupfs" | "systemd";

export interface BuildCgroup {
  driver: CgroupDriver;
  /** Sets the caps on the groups that there are. */
  apply(caps: BuildCaps): Promise<CapResult>;
  /** Ids of the processes of builds. */
  processes(): Promise<number[]>;
}

interface Failure {
  controller: Controller;
  reason: string;
}

type Controller = "memory" | "cpu" | "pids";

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

/** BuildKit makes a group's name of the engine's parent (`system.slice:docker:` there) and an id. */
const SYSTEMD_GROUP = /^system\.slice:docker:./;

/** Where such groups are: below the slice with the unified hierarchy, at the top with the older one. */
const SYSTEMD_PLACES = ["", "system.slice"];

/** Of the engine with its own driver; it makes the group with the first build, or uses the one that is there. */
const CGROUPFS_GROUP = "docker/buildkit";

/**
 * The control groups that the engine's BuildKit runs instructions in. The build call's own limits (`memory`, `cpuquota`)
 * are ignored by BuildKit. With cgroupfs the limits hold over the sum of all builds.
 */
export function buildCgroup(driver: CgroupDriver, root = "/sys/fs/cgroup"): BuildCgroup {
  const isUnified = access(join(root, "cgroup.controllers")).then(
    () => true,
    () => false,
  );
  const baseOf = async (controller: Controller): Promise<string> => ((await isUnified) ? root : join(root, controller));

  async function groups(): Promise<string[]> {
    return driver === "cgroupfs" ? [CGROUPFS_GROUP] : systemdGroups(await baseOf("memory"));
  }

  async function applyTo(group: string, caps: BuildCaps): Promise<Failure[]> {
    if (driver === "cgroupfs") {
      const failure = await attempt(() => make(group));
      if (failure !== undefined) return [{ controller: "memory", reason: failure }];
    }
    if (await isUnified) return applyAll(unifiedSettings(caps), () => join(root, group));
    return applyAll(legacySettings(caps), (controller) => join(root, controller, group));
  }

  async function make(group: string): Promise<void> {
    if (await isUnified) return makeUnified(root, group);
    for (const controller of ["memory", "cpu", "pids"]) await mkdir(join(root, controller, group), { recursive: true });
  }

  return {
    driver,
    async apply(caps) {
      const found = await groups();
      const failures = (await Promise.all(found.map((group) => applyTo(group, caps)))).flat();
      const isMemoryCapped = found.length > 0 && !failures.some(({ controller }) => controller === "memory");
      const texts = failures.map(({ controller, reason }) => `${controller}: ${reason}`);
      return { groups: found.length, isMemoryCapped, failures: [...new Set(texts)] };
    },
    async processes() {
      const base = await baseOf("pids");
      const found = driver === "cgroupfs" ? [CGROUPFS_GROUP] : await systemdGroups(base);
      return (await Promise.all(found.map((group) => processesIn(join(base, group))))).flat();
    },
  };
}

async function systemdGroups(base: string): Promise<string[]> {
  const places = await Promise.all(
    SYSTEMD_PLACES.map(async (place) => {
      const names = await readdir(join(base, place)).catch(() => []);
      return names.filter((name) => SYSTEMD_GROUP.test(name)).map((name) => join(place, name));
    }),
  );
  return places.flat();
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

/** Beside the caps, a tenth of the weight that an app's container has: a build takes what serving leaves. */
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

async function applyAll(settings: Setting[], directoryOf: (controller: string) => string): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const { controller, file, value, isOptional } of settings) {
    const failure = await attempt(() => writeAndCheck(join(directoryOf(controller), file), value));
    if (failure !== undefined && !isOptional) failures.push({ controller, reason: failure });
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
async function processesIn(directory: string): Promise<number[]> {
  const own = await readFile(join(directory, "cgroup.procs"), "utf8").catch(() => "");
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => processesIn(join(directory, entry.name)));
  return [...own.split("\n").filter(Boolean).map(Number), ...(await Promise.all(below)).flat()];
}
