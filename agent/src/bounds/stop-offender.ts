import type { PlatformStop } from "../domain/platform-stop.ts";
import { leadsToContainer } from "../domain/routes.ts";
import type { ContainerState, Engine, Proxy, StoragePlace } from "../ports.ts";

interface Ports {
  engine: Pick<Engine, "list" | "stop" | "remove">;
  proxy: Pick<Proxy, "updateRoutes">;
}

/**
 * Ends what writes into the place, at once: in the time that a stop gives a container it could write gigabytes more. Only
 * its app reaches a database, so that ending the app keeps a database from growing and its data safe. From then on the
 * app's hosts answer 503 as those of a stopped app, and its routes say why.
 * @returns false when nothing runs that could be stopped
 */
export async function stopOffender(
  { engine, proxy }: Ports,
  place: StoragePlace,
  stop: PlatformStop,
): Promise<boolean> {
  const writers = (await engine.list({ appId: place.appId, role: "app" })).filter(
    (container) => isUp(container) && (place.role === "database" || container.id === place.containerId),
  );
  if (writers.length === 0) return false;
  const ids = new Set(writers.map(({ id }) => id));
  await Promise.all([...ids].map((id) => engine.stop(id, 0)));
  // A container that a deploy makes has no routes yet: the deploy finds that it has ended.
  await proxy.updateRoutes(place.appId, (current) =>
    current.map((route) =>
      ids.has(route.containerId) && leadsToContainer(route) ? { ...route, state: "stopped", stoppedBy: stop } : route,
    ),
  );
  if (stop.removesContainer) await Promise.all([...ids].map((id) => engine.remove(id)));
  return true;
}

/** Removes the containers whose routes say that they were removed: an agent that did so may have been killed, or the engine. */
export async function finishRemovals(
  { engine, proxy }: { engine: Pick<Engine, "remove">; proxy: Pick<Proxy, "routes"> },
  places: readonly StoragePlace[],
): Promise<void> {
  const routes = (await proxy.routes()).filter(({ stoppedBy }) => stoppedBy?.removesContainer);
  const leftOver = new Set(routes.map(({ containerId }) => containerId));
  for (const { containerId } of places) if (leftOver.has(containerId)) await engine.remove(containerId);
}

function isUp({ state }: ContainerState): boolean {
  return state === "running" || state === "restarting" || state === "paused";
}
