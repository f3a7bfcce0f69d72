import { join } from "node:path";
import { readKernelFile } from "../../platform/kernel-files.ts";
import type { ContainerCounters, ContainerUsage } from "../../ports.ts";
import { CGROUP_ROOT, groupDirectory, isUnifiedHierarchy, parseCgroups } from "../cgroup-paths.ts";
import type { RunningContainer } from "./running-containers.ts";

/** The counters of a container that waits to be started again. */
const NOTHING: ContainerCounters = { cpuMs: 0, memoryBytes: 0, networkBytesIn: 0, networkBytesOut: 0 };

/**
 * Reads the kernel's own counters of each container, four small files: the engine would read the same ones, and many more,
 * for an answer of 5 kB.
 */
export function createUsageReader(readRunning: () => Promise<RunningContainer[]>): () => Promise<ContainerUsage[]> {
  const isUnified = isUnifiedHierarchy(CGROUP_ROOT);
  return async () => {
    const [running, readGroup] = [await readRunning(), (await isUnified) ? readUnified : readByController];
    return running.map((container) => usageOf(container, readGroup(container.cgroups)));
  };
}

function usageOf(container: RunningContainer, group: GroupCounters | undefined): ContainerUsage {
  const { containerId, appId, appName, role, pid, startedAt, restartCount, memoryBytesMax } = container;
  const counters = group && { ...group, ...networkBytes(readKernelFile(`/proc/${pid}/net/dev`)) };
  const run = `${containerId} ${pid}`;
  const facts = { containerId, appId, appName, role, run, startedAt, restartCount, memoryBytesMax };
  return { ...facts, counters: pid === 0 ? NOTHING : counters };
}

type GroupCounters = Pick<ContainerCounters, "cpuMs" | "memoryBytes">;

/** Control groups v2. */
function readUnified(cgroups: string): GroupCounters | undefined {
  const { cpu: path } = parseCgroups(cgroups, true);
  if (path === undefined) return undefined;
  const directory = groupDirectory(CGROUP_ROOT, true, "cpu", path);
  const cpuUs = numberAfter("usage_usec", readKernelFile(join(directory, "cpu.stat")));
  const bytes = readKernelFile(join(directory, "memory.current"));
  if (cpuUs === undefined || bytes === "") return undefined;
  const idle = numberAfter("inactive_file", readKernelFile(join(directory, "memory.stat"))) ?? 0;
  return { cpuMs: cpuUs / 1e3, memoryBytes: Math.max(0, Number(bytes) - idle) };
}

/** Control groups v1. */
function readByController(cgroups: string): GroupCounters | undefined {
  const { cpuacct, memory } = parseCgroups(cgroups, false);
  if (cpuacct === undefined || memory === undefined) return undefined;
  const cpuNs = readKernelFile(join(groupDirectory(CGROUP_ROOT, false, "cpuacct", cpuacct), "cpuacct.usage"));
  const directory = groupDirectory(CGROUP_ROOT, false, "memory", memory);
  const bytes = readKernelFile(join(directory, "memory.usage_in_bytes"));
  if (cpuNs === "" || bytes === "") return undefined;
  const idle = numberAfter("total_inactive_file", readKernelFile(join(directory, "memory.stat"))) ?? 0;
  return { cpuMs: Number(cpuNs) / 1e6, memoryBytes: Math.max(0, Number(bytes) - idle) };
}

function numberAfter(name: string, text: string): number | undefined {
  const found = new RegExp(String.raw`^${name} (\d+)$`, "m").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Reads `net/dev` of a process: a line for each interface of its network, with bytes received first and bytes sent ninth. */
export function networkBytes(text: string): Pick<ContainerCounters, "networkBytesIn" | "networkBytesOut"> {
  const lines = [...text.matchAll(/^\s*([^:\s]+):(.*)$/gm)].filter(([, name]) => name !== "lo");
  const numbers = lines.map(([, , rest = ""]) => rest.trim().split(/\s+/).map(Number));
  const sumAt = (place: number): number => numbers.reduce((sum, line) => sum + (line[place] ?? 0), 0);
  return { networkBytesIn: sumAt(0), networkBytesOut: sumAt(8) };
}
