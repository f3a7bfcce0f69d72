import { basename, join } from "node:path";
import { LABEL_SERVER, labelFilter, readContainerLabels } from "@svc/shared/rules/labels.ts";
import type { ProcessRefusals } from "../../ports.ts";
import { CGROUP_ROOT, groupDirectory, isUnifiedHierarchy, parseCgroups } from "../cgroup-paths.ts";
import { readKernelFile } from "../../platform/kernel-files.ts";
import { inspectOwn } from "./containers.ts";
import type { DockerContext } from "../context.ts";

/** A container whose control group is known. */
type Counted = Omit<ProcessRefusals, "count"> & { file: string };

/**
 * Reads the kernel's count of refused processes of each running container. The engine is asked about a container once: its
 * control group has the same path after each start, and begins to count anew.
 */
export function createRefusalReader(ctx: DockerContext): () => Promise<ProcessRefusals[]> {
  const isUnified = isUnifiedHierarchy(CGROUP_ROOT);
  let known = new Map<string, Counted>();

  async function find(id: string): Promise<Counted | undefined> {
    const container = await inspectOwn(ctx, id);
    const identity = readContainerLabels(ctx.serverId, container?.Config.Labels);
    if (container === undefined || identity === undefined) return undefined;
    const text = readKernelFile(`/proc/${container.State.Pid}/cgroup`);
    const path = parseCgroups(text, await isUnified).pids;
    // Where the agent runs in a container of its own, the number is another process's.
    if (path === undefined || !basename(path).includes(id)) return undefined;
    return {
      containerId: id,
      appId: identity.app.id,
      appName: identity.app.name,
      role: identity.role,
      processesMax: container.HostConfig.PidsLimit ?? 0,
      file: join(groupDirectory(CGROUP_ROOT, await isUnified, "pids", path), "pids.events"),
    };
  }

  return async () => {
    const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId });
    const running = await ctx.docker.listContainers({ filters });
    const found = await Promise.all(running.map(async ({ Id: id }) => known.get(id) ?? (await find(id))));
    const counted = found.filter((each) => each !== undefined);
    known = new Map(counted.map((each) => [each.containerId, each]));
    return counted.map(withCount).filter((each) => each !== undefined);
  };
}

/** Is undefined for a container that has ended meanwhile. */
function withCount({ file, ...container }: Counted): ProcessRefusals | undefined {
  const count = /^max (\d+)$/m.exec(readKernelFile(file))?.[1];
  return count === undefined ? undefined : { ...container, count: Number(count) };
}
