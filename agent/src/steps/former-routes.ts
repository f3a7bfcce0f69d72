import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { parseRoutes, serializeRoutes } from "../edge/routes.ts";
import { readIfPresent, writeDurably } from "../platform/durable-file.ts";
import type { ContainerState, Route } from "../ports.ts";
import type { StepContext, UndoContext } from "../runner/step.ts";
import { pruneOldest } from "./prune-oldest.ts";

/** Files with former routes that are kept: an undo is asked for soon after its deploy, and one deploy runs at a time. */
const UNDO_FILES_MAX = 100;

interface DeployFiles {
  dataDirectory: string;
  deployId: string;
}

/** Reads before the effect, and only once: what a second run finds may be this deploy's own routes. */
export async function keepFormerRoutes(ctx: StepContext): Promise<void> {
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
export async function switchBack(ctx: UndoContext, ownContainerId?: string): Promise<void> {
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
