import { setTimeout as delay } from "node:timers/promises";
import type { ContainerInspectInfo } from "dockerode";
import { SvcError } from "@svc/shared/errors.ts";
import { networkNameOf } from "./container-spec.ts";
import { labelFilter, LABEL_APP, LABEL_DEPLOY, LABEL_ROLE, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { readContainerLabels } from "@svc/shared/rules/labels.ts";
import type { ContainerFilter, ContainerState } from "../../ports.ts";
import type { DockerContext } from "../context.ts";
import { unless } from "../errors.ts";
import { clearLeftTask, isTaskLeft } from "../left-tasks.ts";
import { emptyInSteps } from "./empty-in-steps.ts";

/** The engine's start time of a container that never started. */
const NEVER = "0001-01-01T00:00:00Z";

const CLEARED_POLL_MS = 200;
const START_TRIES_MAX = 15;

const ENDED: ReadonlySet<string> = new Set(["exited", "dead"]);

/** Newest first. */
export async function listContainers(ctx: DockerContext, filter: ContainerFilter): Promise<ContainerState[]> {
  const labels = {
    [LABEL_SERVER]: ctx.serverId,
    ...(filter.appId === undefined ? {} : { [LABEL_APP]: filter.appId }),
    ...(filter.deployId === undefined ? {} : { [LABEL_DEPLOY]: filter.deployId }),
    ...(filter.role === undefined ? {} : { [LABEL_ROLE]: filter.role }),
  };
  const containers = await ctx.docker.listContainers({ all: true, filters: labelFilter(labels) });
  const inspected = await Promise.all(containers.map(({ Id: id }) => inspectOwn(ctx, id)));
  return inspected
    .filter((container) => container !== undefined)
    .toSorted((a, b) => (a.Created < b.Created ? 1 : -1))
    .map((container) => toState(ctx, container))
    .filter((state) => state !== undefined);
}

/** Is undefined when there is none, or it is not ours. */
export async function readContainer(ctx: DockerContext, id: string): Promise<ContainerState | undefined> {
  const container = await inspectOwn(ctx, id);
  return container && toState(ctx, container);
}

export async function inspectOwn(ctx: DockerContext, id: string): Promise<ContainerInspectInfo | undefined> {
  const container = await unless([404], ctx.docker.getContainer(id).inspect());
  return readContainerLabels(ctx.serverId, container?.Config.Labels) && container;
}

/** @throws SvcError not_found */
export async function requireOwn(ctx: DockerContext, id: string): Promise<ContainerInspectInfo> {
  const container = await inspectOwn(ctx, id);
  if (container !== undefined) return container;
  throw new SvcError("not_found", `This server has no container ${id} of an app.`);
}

export async function startContainer(ctx: DockerContext, id: string): Promise<void> {
  await requireOwn(ctx, id);
  await startOwn(ctx, id);
}

/** Starts a container that is known to be ours. */
export async function startOwn(ctx: DockerContext, id: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await unless([304], ctx.docker.getContainer(id).start());
      return;
    } catch (error) {
      if (!isTaskLeft(error) || tries === START_TRIES_MAX) throw error;
      const isCleared = await clearLeftTask(id, error).catch((cause: unknown) => {
        ctx.log.warn(
          { err: cause, container: id },
          "what a killed engine has left of a container can't be cleared away",
        );
        throw error;
      });
      if (isCleared)
        ctx.log.warn({ err: error, container: id }, "what a killed engine has left of a container is cleared away");
      else if (tries === 1) throw error;
    }
    // containerd takes a moment to see that a task has ended.
    await delay(CLEARED_POLL_MS);
  }
}

/** 304: it does not run. */
export async function stopContainer(ctx: DockerContext, id: string, graceSeconds: number): Promise<void> {
  if ((await inspectOwn(ctx, id)) === undefined) return;
  await unless([304, 404], ctx.docker.getContainer(id).stop({ t: graceSeconds }));
}

/** Its anonymous volumes go with it, named ones stay. 409: it is being removed already. */
export async function removeContainer(ctx: DockerContext, id: string): Promise<void> {
  const container = await inspectOwn(ctx, id);
  if (container === undefined) return;
  await emptyStopped(ctx, container).catch((error: unknown) =>
    ctx.log.debug({ err: error, container: id }, "the engine removes what could not be removed in steps"),
  );
  await unless([404, 409], ctx.docker.getContainer(id).remove({ force: true, v: true }));
}

async function emptyStopped(ctx: DockerContext, container: ContainerInspectInfo): Promise<void> {
  await unless([304, 404], ctx.docker.getContainer(container.Id).stop({ t: 0 }));
  for (const directory of placesToEmpty(container)) await emptyInSteps(directory);
}

/** The layer and the volumes that nothing but the container uses. */
function placesToEmpty({ GraphDriver: driver, Mounts: mounts, HostConfig: config }: ContainerInspectInfo): string[] {
  const layer = (driver as { Data?: Record<string, string> | null } | undefined)?.Data?.["UpperDir"];
  const named = new Set((config.Mounts ?? []).map(({ Source: source }) => source));
  const volumes = mounts.filter(({ Type: type, Name: name }) => type === "volume" && !named.has(name ?? ""));
  return [...(layer === undefined ? [] : [layer]), ...volumes.map(({ Source: path }) => path)];
}

export async function restartWhenItExits(ctx: DockerContext, id: string): Promise<void> {
  await requireOwn(ctx, id);
  await ctx.docker.getContainer(id).update({ RestartPolicy: { Name: "unless-stopped" } });
}

function toState(ctx: DockerContext, container: ContainerInspectInfo): ContainerState | undefined {
  const identity = readContainerLabels(ctx.serverId, container.Config.Labels);
  if (identity === undefined) return undefined;
  const { State: state } = container;
  return {
    id: container.Id,
    appId: identity.app.id,
    appName: identity.app.name,
    role: identity.role,
    deployId: identity.deployId,
    release: identity.release,
    imageDigest: container.Image,
    state: state.Status,
    exitCode: ENDED.has(state.Status) ? state.ExitCode : undefined,
    outOfMemory: state.OOMKilled,
    restartCount: container.RestartCount,
    memoryBytes: container.HostConfig.Memory ?? 0,
    address: fixedAddress(container, networkNameOf(identity.app)) ?? "",
    port: identity.port,
    startedAt: state.StartedAt === NEVER ? undefined : new Date(state.StartedAt),
  };
}

/** Reads the address as configured, so that it is known while the container is stopped too. */
function fixedAddress(container: ContainerInspectInfo, network: string): string | undefined {
  const endpoint = container.NetworkSettings.Networks[network];
  const configured: unknown = endpoint?.IPAMConfig?.IPv4Address;
  return typeof configured === "string" ? configured : endpoint?.IPAddress;
}
