import type { Logger } from "@svc/shared/logger.ts";
import type { ContainerState, Engine, Proxy, Route } from "./ports.ts";

/**
 * After the engine, the agent or the host has started again: brings up the containers that routes point to, and leads
 * the routes to where they are now. A route without its container stays as it is, and is reported: only a deploy or
 * the app's removal may take a host away.
 * @throws SvcError engine_unavailable, proxy_unavailable
 */
export async function reconcileRoutes(ports: { engine: Engine; proxy: Proxy; log: Logger }): Promise<void> {
  const { engine, proxy, log } = ports;
  const containers = new Map((await engine.list({ role: "app" })).map((container) => [container.id, container]));
  const routes = await proxy.routes();
  const serving = routes.filter(({ state }) => state === "serving");
  for (const id of new Set(serving.map(({ containerId }) => containerId))) {
    const container = containers.get(id);
    if (container?.state === "exited" || container?.state === "created") {
      log.warn({ app: container.appName, container: id }, "starting a container that should serve");
      await engine.start(id);
    }
  }
  for (const appId of new Set(serving.map((route) => route.appId))) {
    const current = routes.filter((route) => route.appId === appId);
    const corrected = current.map((route) => withAddressOf(containers.get(route.containerId), route));
    const lost = current.filter(({ containerId }) => !containers.has(containerId)).map(({ host }) => host);
    if (lost.length > 0)
      log.error({ appId, hosts: lost }, "these hosts lead to a container that is gone: deploy again");
    await proxy.setRoutes(appId, corrected);
  }
}

/** A stopped container has no address; its route keeps the last one. */
function withAddressOf(container: ContainerState | undefined, route: Route): Route {
  if (!container || container.address === "") return route;
  return { ...route, upstream: `${container.address}:${container.port}` };
}
