import type { DeployContainerSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { checkDeployContainer } from "./deploy-container-request.ts";
import type { DeployContainerRequest } from "./deploy-container-request.ts";
import type { ContainerSpec, ContainerState } from "../ports.ts";
import { watchEngine } from "./engine-watch.ts";
import type { StepContext, StepDefinition, UndoContext } from "../runner/step.ts";
import { together } from "../platform/together.ts";
import { waitUntilListening } from "./wait-until-listening.ts";

/** The tag of the image that served before this deploy. */
const PREVIOUS = "previous";

/** A new container beside the one that serves; it gets requests only from the next step on. */
export const deployContainer: StepDefinition<DeployContainerSpec> = {
  async run(ctx, message) {
    const request = checkDeployContainer(message);
    await together(ctx.engine.ensureNetwork(ctx.app), tagServingImage(ctx), removeUnrouted(ctx, hasEnded));
    ctx.output.progress(request.copies === 1 ? "starting the container" : `starting ${request.copies} copies`);
    const engineWatch = watchEngine(ctx.engine);
    const container = await startBeside(ctx, request).catch((error: unknown) => {
      engineWatch.stop();
      throw error;
    });
    try {
      ctx.output.progress(`waiting for port ${request.port}`);
      await waitUntilListening(ctx, container, request);
      await ctx.engine.keepRunning(container.id);
    } catch (error) {
      // The pipeline undoes the step too; what fails here is tried again there, and must not hide the reason.
      await removeUnrouted(ctx).catch(() => undefined);
      throw engineWatch.hasEnded() ? endedWithEngine(error) : error;
    } finally {
      engineWatch.stop();
    }
    const upstream = `${container.address}:${container.port}`;
    ctx.output.log(`The app accepts connections on port ${container.port}.`);
    return { case: "deployContainer", value: { containerId: container.id, upstream } };
  },

  undo: (ctx) => removeUnrouted(ctx),
};

/** hasEnded finds what an interrupted run has left: ended by a reboot, or with its engine, it says nothing of the app. */
function hasEnded({ state }: ContainerState): boolean {
  return state === "exited" || state === "dead";
}

function endedWithEngine(cause: unknown): SvcError {
  return new SvcError(
    "engine_unavailable",
    "The server's container engine was restarted while the app started. Deploy again.",
    { cause },
  );
}

function startBeside(ctx: StepContext, request: DeployContainerRequest): Promise<ContainerState> {
  const spec: ContainerSpec = {
    app: ctx.app,
    role: "app",
    deployId: ctx.deployId,
    release: request.release,
    image: request.imageDigest,
    ...(request.command && { command: request.command }),
    env: request.env,
    port: request.port,
    memoryBytes: request.memoryBytes,
    cpuMillis: request.cpuMillis,
    aliases: [],
    volumes: {},
    capabilities: [],
    copies: request.copies,
  };
  return ctx.engine.run(spec, ctx.signal);
}

/** An image that somebody took from the engine is no reason to refuse the new one. */
async function tagServingImage(ctx: StepContext): Promise<void> {
  const routed = await routedContainers(ctx);
  const containers = await ctx.engine.list({ appId: ctx.app.id, role: "app" });
  const serving = containers.find(({ id, deployId }) => routed.has(id) && deployId !== ctx.deployId);
  if (serving === undefined) return;
  try {
    await ctx.engine.tagImage(serving.imageDigest, ctx.app, PREVIOUS);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "not_found") throw error;
    ctx.output.log("The image of the release that serves now is gone from the server; it cannot be rolled back to.");
  }
}

async function removeUnrouted(ctx: UndoContext, isLeft: (container: ContainerState) => boolean = () => true) {
  const routed = await routedContainers(ctx);
  const containers = await ctx.engine.list({ appId: ctx.app.id, deployId: ctx.deployId, role: "app" });
  for (const container of containers.filter(isLeft)) {
    if (!routed.has(container.id)) await ctx.engine.remove(container.id);
  }
}

async function routedContainers(ctx: UndoContext): Promise<Set<string>> {
  const routes = await ctx.proxy.routes();
  return new Set(routes.filter(({ appId }) => appId === ctx.app.id).map(({ containerId }) => containerId));
}
