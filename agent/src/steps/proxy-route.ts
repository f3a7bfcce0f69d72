import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import type { ProxyRouteSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { quoteLog } from "../engine/containers/app-failure.ts";
import { requireRoutedHosts } from "../platform/hostname.ts";
import { parseRoutes, routesTo, serializeRoutes } from "../edge/routes.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import { lastLogLines } from "../engine/logs/last-log-lines.ts";
import type { ContainerState, Route } from "../ports.ts";
import type { StepContext, StepDefinition, UndoContext } from "../runner/step.ts";
import { together } from "../platform/together.ts";
import { pruneOldest } from "./prune-oldest.ts";

/** Files with former routes that are kept: an undo is asked for soon after its deploy, and one deploy runs at a time. */
const UNDO_FILES_MAX = 100;

interface DeployFiles {
  dataDirectory: string;
  deployId: string;
}

/** Leads the app's hosts to the container of this deploy, and proves it by a request through the proxy. */
export const proxyRoute: StepDefinition<ProxyRouteSpec> = {
  async run(ctx, spec) {
    const routed = requireRoutedHosts(spec);
    const hosts = routed.map(({ host }) => host);
    const [container] = await together(
      runningContainer(ctx, spec.port),
      ctx.proxy.ensureRunning(),
      keepFormerRoutes(ctx),
    );
    const upstream = `${container.address}:${container.port}`;
    const { id: appId, ownerId } = ctx.app;
    ctx.output.progress(`switching to ${upstream}`);
    try {
      await ctx.proxy.setRoutes(
        appId,
        routesTo({ appId, ownerId, containerId: container.id, upstream, state: "serving" }, routed),
      );
      for (const host of hosts) await prove(ctx, host, upstream);
    } catch (error) {
      await switchBack(ctx, container.id).catch(() => {
        // The undo of the step tries it again; why the switch failed is what the user needs.
        ctx.output.log("The former routes could not be put back yet.");
      });
      throw await withLastLines(ctx, container, error);
    }
    return { case: "proxyRoute", value: { hosts, upstream } };
  },

  async undo(ctx) {
    await switchBack(ctx);
  },
};

async function prove({ proxy, output, signal }: StepContext, host: string, upstream: string): Promise<void> {
  const startedAt = performance.now();
  await proxy.prove(host, upstream, signal);
  output.log(
    `https://${host} is answered by the new container (after ${Math.round(performance.now() - startedAt)} ms)`,
  );
}

/** Why the app did not answer is in its log, if anywhere. */
async function withLastLines({ engine }: StepContext, { id }: ContainerState, error: unknown): Promise<unknown> {
  if (!(error instanceof SvcError) || error.code !== "route_not_proven") return error;
  const lines = await lastLogLines(engine, id).catch(() => []);
  return new SvcError(error.code, error.message + quoteLog(lines), { cause: error });
}

async function runningContainer(ctx: StepContext, port: number): Promise<ContainerState> {
  const { engine } = ctx;
  let container = await containerOfDeploy(ctx);
  if (container.state === "exited") {
    // It was proven, and the engine starts one that ends by itself again: this one has ended with its engine.
    await engine.start(container.id);
    container = await containerOfDeploy(ctx);
  }
  if (container.state !== "running") {
    throw new SvcError(
      "app_exited",
      `The new container is ${container.state}, exit code ${container.exitCode ?? "unknown"}. ` +
        `Repair what its log says and deploy again.${quoteLog(await lastLogLines(engine, container.id))}`,
    );
  }
  if (container.port !== port) {
    throw new SvcError("invalid_request", `The container serves port ${container.port}, not ${port}.`);
  }
  return container;
}

async function containerOfDeploy({ engine, app, deployId }: StepContext): Promise<ContainerState> {
  const [container] = await engine.list({ appId: app.id, deployId, role: "app" });
  if (container) return container;
  throw new SvcError("app_exited", `Deploy ${deployId} has no container on this server. Deploy again.`);
}

/** Reads before the effect, and only once: what a second run finds may be this deploy's own routes. */
async function keepFormerRoutes(ctx: StepContext): Promise<void> {
  const file = undoFile(ctx);
  if ((await readIfPresent(file)) !== undefined) return;
  const former = (await ctx.proxy.routes()).filter((route) => route.appId === ctx.app.id);
  await pruneOldest(join(ctx.dataDirectory, "undo"), UNDO_FILES_MAX - 1);
  await writeDurably(file, serializeRoutes(former));
}

/** The app's routes from before the deploy; undefined when it never came to a switch. */
export async function readFormerRoutes(deploy: DeployFiles): Promise<Route[] | undefined> {
  const text = await readIfPresent(undoFile(deploy));
  return text === undefined ? undefined : parseRoutes(text);
}

/**
 * Puts back the routes from before the deploy, where a container of the deploy is still routed to: a later deploy's
 * routes are left alone. A former route whose container is gone leads nowhere and is dropped; while the engine does not
 * answer, nothing is known of that, and all are put back.
 * @param ownContainerId the deploy's container, where it is known; without it the engine has to tell
 */
async function switchBack(ctx: UndoContext, ownContainerId?: string): Promise<void> {
  const { app, engine, proxy, deployId } = ctx;
  const former = await readFormerRoutes(ctx);
  // It never came to a switch.
  if (former === undefined) return;
  const containers = await engine.list({ appId: app.id, role: "app" }).catch((error: unknown) => {
    if (ownContainerId === undefined) throw error;
    return undefined;
  });
  const isOwn = (route: Route): boolean =>
    route.containerId === ownContainerId || (containers !== undefined && belongsToDeploy(route, containers, deployId));
  const isThere = ({ containerId, state }: Route): boolean =>
    state === "undeployed" || (containers?.some(({ id }) => id === containerId) ?? true);
  await proxy.updateRoutes(app.id, (current) => (current.some(isOwn) ? former.filter(isThere) : current));
}

/** A route to a container that does not exist any more is taken for the deploy's: it serves nobody. */
function belongsToDeploy(route: Route, containers: readonly ContainerState[], deployId: string): boolean {
  const container = containers.find(({ id }) => id === route.containerId);
  return container === undefined || container.deployId === deployId;
}

/** @throws SvcError invalid_request: the id becomes a file's name */
function undoFile({ dataDirectory, deployId }: DeployFiles): string {
  if (!isId(deployId)) throw new SvcError("invalid_request", "The deploy's id is no UUID.");
  return join(dataDirectory, "undo", `${deployId}.json`);
}
