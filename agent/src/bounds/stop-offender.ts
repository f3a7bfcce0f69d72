import type { Clock } from "@svc/shared/platform/clock.ts";
import { isUp } from "../engine/containers/container-state.ts";
import type { PlatformStop } from "../edge/platform-stop.ts";
import { leadsToContainer } from "../edge/routes.ts";
import type { ContainerState, Engine, Proxy, StoragePlace } from "../ports.ts";

interface Ports {
  engine: Pick<Engine, "list" | "stop" | "remove">;
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  /** Containers that are being stopped, and whose routes do not say so yet: nobody starts them again. */
  heldBack: Set<string>;
}

/** A stop without grace takes milliseconds; an engine that needs longer hangs, and the next look asks it again. */
const STOP_MS_MAX = 15_000;

/** A stop that has been made, for the app's routes to say. */
export interface MadeStop {
  appId: string;
  containerIds: ReadonlySet<string>;
  stop: PlatformStop;
}

/**
 * Ends what writes into the place, at once: in the time that a stop gives a container it could write gigabytes more. Only
 * its app reaches a database, so that ending the app keeps a database from growing and its data safe. An app that has
 * ended by itself counts while a route leads to it: a full disk ends its apps, and the agent would start it again.
 * @param isRemoved whether the container is to be removed: then it counts even while its owner, or the agent, has stopped it
 * @returns the containers that were ended; none when there is nothing that could be stopped
 * @throws Error when one of them still runs after 15 s
 */
export async function endWriters(
  { engine, proxy, heldBack }: Ports,
  place: StoragePlace,
  isRemoved: boolean,
  clock: Clock,
): Promise<ReadonlySet<string>> {
  const find = async (): Promise<ContainerState[]> =>
    (await engine.list({ appId: place.appId, role: "app" })).filter(
      ({ id }) => place.role === "database" || id === place.containerId,
    );
  const routed = new Set((await proxy.routes()).filter(leadsToContainer).map(({ containerId }) => containerId));
  const writers = (await find())
    .filter(({ id, state }) => isRemoved || isUp(state) || routed.has(id))
    .map(({ id }) => id);
  for (const id of writers) heldBack.add(id);
  const answered = new AbortController();
  const stopped = Promise.all(writers.map((id) => engine.stop(id, 0)));
  await Promise.race([stopped, clock.sleep(STOP_MS_MAX, answered.signal).catch(() => undefined)]).finally(() => {
    answered.abort();
    // A stop that failed after the wait shows in the containers that still run.
    stopped.catch(() => undefined);
  });
  const left = new Set((await find()).filter(({ state }) => isUp(state)).map(({ id }) => id));
  if (writers.some((id) => left.has(id))) {
    for (const id of writers) heldBack.delete(id);
    throw new Error(`the engine did not stop ${place.appName} in time`);
  }
  return new Set(writers);
}

/** Has the app's hosts answer 503 as those of a stopped app, and its routes say why. Idempotent. */
export async function recordStop(
  { engine, proxy, heldBack }: Ports,
  { appId, containerIds, stop }: MadeStop,
): Promise<void> {
  // A container that a deploy makes has no routes yet: the deploy finds that it has ended.
  await proxy.updateRoutes(appId, (current) =>
    current.map((route) =>
      containerIds.has(route.containerId) ? { ...route, state: "stopped", stoppedBy: stop } : route,
    ),
  );
  for (const id of containerIds) heldBack.delete(id);
  if (stop.removesContainer) await Promise.all([...containerIds].map((id) => engine.remove(id)));
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
