import type { ContainerState } from "../ports.ts";
import { isUp } from "../engine/containers/container-state.ts";
import type { Observed } from "./containers-to-start.ts";

/**
 * containersToStop finds the app containers that still run although all routes to them say `stopped`: the agent, or its
 * engine, ended while it stopped or started them. Who asked for a start that did not end is told so, and asks again.
 */
export function containersToStop({
  containers,
  routes,
  isDeploying,
}: Pick<Observed, "containers" | "routes" | "isDeploying">): ContainerState[] {
  const byContainer = Map.groupBy(routes, ({ containerId }) => containerId);
  const isStopped = (id: string): boolean => byContainer.get(id)?.every(({ state }) => state === "stopped") ?? false;
  return containers.filter(
    ({ id, appId, role, state }) => role === "app" && isUp(state) && isStopped(id) && !isDeploying(appId),
  );
}
