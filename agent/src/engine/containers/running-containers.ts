import { basename } from "node:path";
import { LABEL_SERVER, labelFilter, readContainerLabels } from "@svc/shared/rules/labels.ts";
import type { OwnedContainer } from "../../ports.ts";
import { readKernelFile } from "../../platform/kernel-files.ts";
import type { DockerContext } from "../context.ts";
import { inspectOwn } from "./containers.ts";

/** A container that runs, or waits to be started again by the engine. */
export interface RunningContainer extends OwnedContainer {
  /** Its main process; 0 while it waits. */
  pid: number;
  /** The process's `cgroup` file; empty where it can't be read: an agent in a container of its own sees other numbers. */
  cgroups: string;
  startedAt: Date | undefined;
  restartCount: number;
  memoryBytesMax: number;
  processesMax: number;
}

/**
 * Lists this server's containers that run. The engine is asked once for the list, and about a container only when it is new
 * or its process has ended since.
 */
export function createRunningReader(ctx: DockerContext): () => Promise<RunningContainer[]> {
  let known = new Map<string, RunningContainer>();

  async function find(id: string): Promise<RunningContainer | undefined> {
    const former = known.get(id);
    if (former && former.cgroups !== "" && cgroupsOf(former.pid, id) === former.cgroups) return former;
    const container = await inspectOwn(ctx, id);
    const identity = readContainerLabels(ctx.serverId, container?.Config.Labels);
    if (container === undefined || identity === undefined) return undefined;
    const { Pid: pid, StartedAt: startedAt } = container.State;
    return {
      containerId: id,
      appId: identity.app.id,
      appName: identity.app.name,
      role: identity.role,
      pid,
      cgroups: cgroupsOf(pid, id),
      startedAt: new Date(startedAt),
      restartCount: container.RestartCount,
      memoryBytesMax: container.HostConfig.Memory ?? 0,
      processesMax: container.HostConfig.PidsLimit ?? 0,
    };
  }

  return async () => {
    const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId });
    const listed = await ctx.docker.listContainers({ filters });
    const found = await Promise.all(listed.map(({ Id: id }) => find(id)));
    const running = found.filter((each) => each !== undefined);
    known = new Map(running.map((each) => [each.containerId, each]));
    return running;
  };
}

/** The number may have become another process's, whose groups are not named after the container. */
function cgroupsOf(pid: number, containerId: string): string {
  const text = pid === 0 ? "" : readKernelFile(`/proc/${pid}/cgroup`);
  return text.split("\n").some((line) => basename(line).includes(containerId)) ? text : "";
}
