import { join } from "node:path";
import type { ProcessRefusals } from "../../ports.ts";
import { CGROUP_ROOT, groupDirectory, isUnifiedHierarchy, parseCgroups } from "../cgroup-paths.ts";
import { readKernelFile } from "../../platform/kernel-files.ts";
import type { RunningContainer } from "./running-containers.ts";

/** Reads the kernel's count of refused processes of each running container; it begins anew with each start. */
export function createRefusalReader(readRunning: () => Promise<RunningContainer[]>): () => Promise<ProcessRefusals[]> {
  const isUnified = isUnifiedHierarchy(CGROUP_ROOT);
  return async () => {
    const [running, unified] = [await readRunning(), await isUnified];
    return running.map((container) => withCount(container, unified)).filter((each) => each !== undefined);
  };
}

/** Is undefined for a container that has ended meanwhile, or whose count can't be read from here. */
function withCount(container: RunningContainer, isUnified: boolean): ProcessRefusals | undefined {
  const { containerId, appId, appName, role, processesMax, cgroups } = container;
  const path = parseCgroups(cgroups, isUnified).pids;
  if (path === undefined) return undefined;
  const file = join(groupDirectory(CGROUP_ROOT, isUnified, "pids", path), "pids.events");
  const count = /^max (\d+)$/m.exec(readKernelFile(file))?.[1];
  return count === undefined ? undefined : { containerId, appId, appName, role, processesMax, count: Number(count) };
}
