import type { Logger } from "@svc/shared/logger.ts";
import { leadsToContainer } from "./domain/routes.ts";
import type { ContainerState, Engine, Proxy, Route } from "./ports.ts";

interface Ports {
  engine: Engine;
  proxy: Proxy;
  log: Logger;
}

/**
 * After the engine, the agent or the host has started again: brings up the containers that routes point to, and leads
 * the routes to where they are now. A route without its container stays as it is, and is reported: only a deploy or
 * the app's removal may take a host away. What fails for one app is logged and keeps no other app down.
 * @returns whether all of it is done
 * @throws SvcError engine_unavailable, proxy_unavailable
 */
export async function reconcileRoutes({ engine, proxy, log }: Ports): Promise<boolean> {
  const containers = new Map((await engine.list({ role: "app" })).map((container) => [container.id, container]));
  const serving = (await proxy.routes()).filter(leadsToContainer);
  let isDone = true;

  const attempt = async (appId: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      isDone = false;
      log.error({ err, appId }, "an app is not served as it should be; this is tried again");
    }
  };

  for (const { appId, containerId } of new Map(serving.map((route) => [route.containerId, route])).values()) {
    const container = containers.get(containerId);
    if (container?.state !== "exited" && container?.state !== "created") continue;
    log.warn({ app: container.appName, container: containerId }, "starting a container that should serve");
    await attempt(appId, () => engine.start(containerId));
  }
  for (const appId of new Set(serving.map((route) => route.appId))) {
    const lost = serving.filter((route) => route.appId === appId && !containers.has(route.containerId));
    const hosts = lost.map(({ host }) => host);
    if (hosts.length > 0) log.error({ appId, hosts }, "these hosts lead to a container that is gone: deploy again");
    await attempt(appId, () =>
      proxy.updateRoutes(appId, (current) => current.map((route) => withAddressOf(containers, route))),
    );
  }
  return isDone;
}

/** A route that a deploy has switched since is not among those looked at, and stays; so does one without an address. */
function withAddressOf(containers: ReadonlyMap<string, ContainerState>, route: Route): Route {
  const container = containers.get(route.containerId);
  if (!container || container.address === "") return route;
  return { ...route, upstream: `${container.address}:${container.port}` };
}
