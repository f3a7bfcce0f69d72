import { readFile } from "node:fs/promises";
import type { ContainerInspectInfo } from "dockerode";

import { labelFilter, LABEL_SERVER, readContainerLabels } from "@svc/shared/rules/labels.ts";
import { inspectOwn } from "./containers/containers.ts";
import type { StoragePlace } from "../ports.ts";
import type { DockerContext } from "./context.ts";

/**
 * Where the containers' writable layers and volumes are on this machine's disk. The engine is asked about a container
 * once: its places never change. A layer of an engine that names no directory (the containerd image store) is looked up
 * in the mounts of a running container, and unknown while it does not run: then it does not grow either.
 */
export function createStorageReader(ctx: DockerContext): () => Promise<StoragePlace[]> {
  let known = new Map<string, StoragePlace>();
  return async () => {
    const filters = labelFilter({ [LABEL_SERVER]: ctx.serverId });
    const containers = await ctx.docker.listContainers({ all: true, filters });
    const places: StoragePlace[] = [];
    const next = new Map<string, StoragePlace>();
    for (const { Id: id } of containers) {
      const found = known.has(id) ? { place: known.get(id)!, hasLayer: true } : await placeOf(ctx, id);
      if (found === undefined) continue;
      places.push(found.place);
      // The engine is asked again about a container whose layer it did not name.
      if (found.hasLayer) next.set(id, found.place);
    }
    known = next;
    return places;
  };
}

async function placeOf(
  ctx: DockerContext,
  id: string,
): Promise<{ place: StoragePlace; hasLayer: boolean } | undefined> {
  const container = await inspectOwn(ctx, id);
  const identity = readContainerLabels(ctx.serverId, container?.Config.Labels);
  if (container === undefined || identity === undefined) return undefined;
  const { app, role } = identity;
  const layer = await layerOf(container);
  const volumes = container.Mounts.filter(({ Type: type }) => type === "volume").map(({ Source: path }) => path);
  const paths = layer === undefined ? volumes : [layer, ...volumes];
  return {
    place: { containerId: id, appId: app.id, appName: app.name, role, paths },
    hasLayer: layer !== undefined,
  };
}

async function layerOf({ GraphDriver: driver, State: state }: ContainerInspectInfo): Promise<string | undefined> {
  const named = (driver as { Data?: Record<string, string> | null } | undefined)?.Data?.["UpperDir"];
  if (named !== undefined) return named;
  if (!state.Running || state.Pid <= 0) return undefined;
  return upperDirectory(await readFile(`/proc/${state.Pid}/mountinfo`, "utf8").catch(() => ""));
}

/** The writable directory of the overlay that is mounted as the root (proc(5), mountinfo). */
export function upperDirectory(mountinfo: string): string | undefined {
  const root = mountinfo.split("\n").find((line) => line.split(" ")[4] === "/" && line.includes(" - overlay "));
  return /(?:^|,)upperdir=([^,]+)/.exec(root?.split(" ").at(-1) ?? "")?.[1];
}
