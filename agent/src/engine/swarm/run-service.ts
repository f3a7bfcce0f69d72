import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { ContainerSpec } from "../../ports.ts";
import { engineMessage, statusOf, unless } from "../errors.ts";
import { requireImage } from "../images.ts";
import type { SwarmContext } from "./context.ts";
import { smallestCpuMillis } from "./manager.ts";
import { ensureOverlay } from "./overlay-network.ts";
import { serviceName, serviceSpec } from "./service-spec.ts";
import { copiesWanted, hasEnded, isLive, isStopped } from "./service-state.ts";
import { listServices, readService, type OwnService, type SwarmTask } from "./services.ts";

const POLL_MS = 100;
/** A machine that can't fetch the image tries again; so may another in its place. */
const REJECTIONS_MAX = 3;

/** Made and started, or found: what an agent that died has left is found by its labels. @returns the service's id */
export function runService(ctx: SwarmContext, spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
  return ctx.serialize(`run ${spec.app.id}`, async () => {
    const existing = await keepOne(ctx, spec);
    const id = existing?.id ?? (await createService(ctx, spec, signal));
    const started = untilStarted(ctx, id, signal);
    await (existing ? started : started.catch((error: unknown) => removeAfter(ctx, id, error)));
    return id;
  });
}

/** The oldest service of this identity; others, left by a crash, go. */
async function keepOne(ctx: SwarmContext, { app, role, deployId }: ContainerSpec): Promise<OwnService | undefined> {
  const found = await listServices(ctx, { appId: app.id, role, ...(deployId === undefined ? {} : { deployId }) });
  const [kept, ...others] = found.toSorted((a, b) => (a.service.CreatedAt < b.service.CreatedAt ? -1 : 1));
  for (const { id } of others) await unless([404], ctx.docker.getService(id).remove());
  return kept;
}

async function createService(ctx: SwarmContext, spec: ContainerSpec, signal?: AbortSignal): Promise<string> {
  const image = await requireImage(ctx, spec.image, spec.app);
  const networkId = await ensureOverlay(ctx, spec.app);
  await ctx.parts.gateway.join(networkId);
  await ctx.parts.ensureGuard();
  const { reference, auth } = await ctx.registry.publish(image.id, ctx.names.repositoryOf(spec.app.id));
  // An app may have been promised more by its tier.
  const cpuMillis = Math.min(spec.cpuMillis, await smallestCpuMillis(ctx));
  signal?.throwIfAborted();
  const placement = { serverId: ctx.serverId, networkId, image: { reference, startsAsRoot: image.startsAsRoot } };
  try {
    const made = (await ctx.docker.createService(auth, serviceSpec({ ...spec, cpuMillis }, placement))) as unknown as {
      id: string;
    };
    ctx.log.info({ app: spec.app.id, deploy: spec.deployId, container: made.id }, "service made");
    return made.id;
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
    throw new SvcError(
      "name_taken",
      `The cluster has a service ${serviceName(spec)} that this agent did not make. Remove or rename it, then deploy again.`,
      { cause: error },
    );
  }
}

/** Waits until each copy runs, or one has ended. @throws SvcError base_image_unavailable when no machine can start one */
export async function untilStarted(ctx: SwarmContext, id: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const own = await readService(ctx, id);
    if (own === undefined || isStopped(own)) return;
    if (own.tasks.filter(isLive).length >= copiesWanted(own)) return;
    if (own.tasks.some((task) => hasEnded(task) && !isRejected(task))) return;
    const rejected = own.tasks.filter(isRejected);
    if (rejected.length >= REJECTIONS_MAX) throw notStarted(rejected.at(-1)!);
    await systemClock.sleep(POLL_MS, signal);
  }
}

function isRejected({ Status: status }: SwarmTask): boolean {
  return status.State === "rejected";
}

function notStarted({ Status: status }: SwarmTask): SvcError {
  if (/no command specified/i.test(status.Err ?? "")) {
    return new SvcError("app_exited", "The image names no command to start. Add a CMD to the Dockerfile.");
  }
  return new SvcError(
    "base_image_unavailable",
    `No machine of the cluster could start the container: ${status.Err ?? "it gave no reason"}. Whoever runs this service ` +
      "makes sure that each machine reaches and trusts the cluster's registry. Then deploy again.",
  );
}

/** A service that can't be started would be found by the next run and fail the same way. */
async function removeAfter(ctx: SwarmContext, id: string, error: unknown): Promise<never> {
  await unless([404], ctx.docker.getService(id).remove()).catch((err: unknown) =>
    ctx.log.warn({ err: engineMessage(err), container: id }, "a service that could not be started is not removed yet"),
  );
  throw error;
}
