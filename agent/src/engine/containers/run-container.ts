import { Readable } from "node:stream";
import { SvcError } from "@svc/shared/errors.ts";
import { lowestFreeAddress } from "../network/address-block.ts";
import { containerBody, containerName } from "./container-spec.ts";
import { readContainerLabels } from "@svc/shared/rules/labels.ts";
import type { ContainerSpec, ContainerState } from "../../ports.ts";
import { createBounded } from "./bounded-layer.ts";
import { listContainers, removeContainer, readContainer, startOwn } from "./containers.ts";
import type { DockerContext } from "../context.ts";
import { engineMessage, isConnectionError, unless } from "../errors.ts";
import { requireImage } from "../images.ts";
import { ensureNetwork } from "../network/networks.ts";
import type { AppNetwork } from "../network/networks.ts";
import { together } from "../../platform/together.ts";
import { ensureVolume, removeVolumes } from "../volumes.ts";

/** States of a container that was made and whose process never ran. */
const NEVER_RAN = "created";

/** Made and started, or found. The agent may die between any two lines: what it left is found by its labels. */
export function runContainer(ctx: DockerContext, spec: ContainerSpec, signal?: AbortSignal): Promise<ContainerState> {
  return ctx.serialize(`run ${spec.app.id}`, async () => {
    const existing = await keepOne(ctx, spec);
    const id = existing?.id ?? (await createContainer(ctx, spec, signal));
    signal?.throwIfAborted();
    if (existing === undefined || existing.state === NEVER_RAN) await startOrRemove(ctx, id);
    const state = await readContainer(ctx, id);
    if (state !== undefined) return state;
    throw new SvcError("internal", "The container was removed while it started.");
  });
}

/**
 * Makes the container anew, with new volumes, and these files below `path`; it is started by `runContainer`. What there was of it before
 * is gone, also when this fails.
 */
export function makeFromArchive(
  ctx: DockerContext,
  spec: ContainerSpec,
  { path, archive }: { path: string; archive: AsyncIterable<Uint8Array> },
): Promise<void> {
  return ctx.serialize(`run ${spec.app.id}`, async () => {
    await removeMade(ctx, spec);
    const id = await createContainer(ctx, spec);
    try {
      await ctx.docker.getContainer(id).putArchive(Readable.from(archive, { objectMode: false }), { path });
    } catch (error) {
      await removeMade(ctx, spec);
      throw error;
    }
  });
}

async function removeMade(ctx: DockerContext, { app, role }: ContainerSpec): Promise<void> {
  for (const { id } of await listContainers(ctx, { appId: app.id, role })) await removeContainer(ctx, id);
  await removeVolumes(ctx, app);
}

/** The container of this identity that runs, else the oldest; others, left by a crash, go. */
async function keepOne(ctx: DockerContext, spec: ContainerSpec): Promise<ContainerState | undefined> {
  const found = await listContainers(ctx, {
    appId: spec.app.id,
    role: spec.role,
    ...(spec.deployId === undefined ? {} : { deployId: spec.deployId }),
  });
  const usable = found.filter(({ state }) => state !== "dead" && state !== "removing");
  const kept = usable.find(({ state }) => state === "running") ?? usable.at(-1);
  for (const other of found) {
    if (other.id !== kept?.id) await removeContainer(ctx, other.id);
  }
  return kept;
}

async function createContainer(ctx: DockerContext, spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
  // Without its image nothing is made, or renamed: an empty volume would count as a database.
  const image = await requireImage(ctx, spec.image, spec.app);
  const [network, { NCPU: hostCpus }] = await together(
    ensureNetwork(ctx, spec.app),
    ctx.docker.info() as Promise<{ NCPU: number }>,
    clearName(ctx, containerName(spec)),
    ...Object.values(spec.volumes).map((purpose) => ensureVolume(ctx, spec.app, purpose)),
  );
  // The engine refuses a cap above what the host has; an app may have been promised more by its tier.
  const capped = { ...spec, cpuMillis: Math.min(spec.cpuMillis, hostCpus * 1000) };
  const address = await freeAddress(ctx, network);
  const body = containerBody(capped, { serverId: ctx.serverId, address, image });
  signal?.throwIfAborted();
  try {
    const container = await createBounded(ctx, body);
    ctx.log.info({ app: spec.app.id, deploy: spec.deployId, container: container.id, address }, "container made");
    return container.id;
  } catch (error) {
    throw explainRefusal(error);
  }
}

/** Stopped containers keep theirs: the engine knows only the addresses of running ones. */
async function freeAddress(ctx: DockerContext, network: AppNetwork): Promise<string> {
  const containers = await ctx.docker.listContainers({ all: true, filters: { network: [network.name] } });
  const endpoints = containers.flatMap((container) => Object.values(container.NetworkSettings.Networks));
  const taken = new Set(endpoints.flatMap(({ IPAMConfig, IPAddress }) => [IPAMConfig?.IPv4Address, IPAddress]));
  const address = lowestFreeAddress(network.subnet, taken);
  if (address !== undefined) return address;
  throw new SvcError("address_block_exhausted", "The app's network is full: stop containers that it does not need.");
}

/** Names are for people: a container of ours that holds the name of the new one is renamed, whatever it does. */
async function clearName(ctx: DockerContext, name: string): Promise<void> {
  const holder = await unless([404], ctx.docker.getContainer(name).inspect());
  if (holder === undefined) return;
  if (readContainerLabels(ctx.serverId, holder.Config.Labels) === undefined) {
    throw new SvcError(
      "name_taken",
      `The server has a container ${name} that this agent did not make. Remove or rename it, then deploy again.`,
    );
  }
  await unless([404], ctx.docker.getContainer(holder.Id).rename({ name: `${name}-${holder.Id.slice(0, 12)}` }));
}

/** A container that cannot be started would be found by the next run and fail the same way. */
async function startOrRemove(ctx: DockerContext, id: string): Promise<void> {
  try {
    await startOwn(ctx, id);
  } catch (error) {
    if (!isConnectionError(error)) await removeContainer(ctx, id);
    throw error;
  }
}

/** The one refusal that the app's owner can repair. A command that is not there shows later, as exit code 127 of the init. */
function explainRefusal(error: unknown): unknown {
  if (!/no command specified/i.test(engineMessage(error))) return error;
  return new SvcError("app_exited", "The image names no command to start. Add a CMD to the Dockerfile.", {
    cause: error,
  });
}
