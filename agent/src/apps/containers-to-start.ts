import type { ContainerState } from "../ports.ts";
import { leadsToContainer, type Route } from "../edge/routes.ts";

export interface Observed {
  containers: readonly ContainerState[];
  routes: readonly Route[];
  /** Whether a step of a deploy works on the app. */
  isDeploying: (appId: string) => boolean;
  /** Containers that the agent is stopping, and whose routes do not say so yet. */
  heldBack: ReadonlySet<string>;
}

/**
 * containersToStart finds the containers that should run and do not. A container that exits by itself is started again by
 * the engine, with back-off; one that is found down was stopped by somebody else, or by the end of its engine.
 *
 * An app's container should run while a route leads to it: those of an app that its owner, or the platform, has stopped
 * say so. A database should run while its app has a route, a container or a deploy that goes on: a soft stop leaves none.
 */
export function containersToStart({ containers, routes, isDeploying, heldBack }: Observed) {
  const down = containers.filter(({ state }) => state === "exited" || state === "created");
  const leadTo = new Set(routes.filter(leadsToContainer).map(({ containerId }) => containerId));
  const present = new Set([
    ...routes.map(({ appId }) => appId),
    ...containers.filter(({ role }) => role === "app").map(({ appId }) => appId),
  ]);
  return {
    databases: down.filter(({ role, appId }) => role === "database" && (present.has(appId) || isDeploying(appId))),
    apps: down.filter(({ role, id }) => role === "app" && leadTo.has(id) && !heldBack.has(id)),
  };
}
