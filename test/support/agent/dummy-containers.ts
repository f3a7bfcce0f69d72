import type { DummyEngine } from "@svc/agent/dummy/engine.ts";
import type { AppRef, ContainerState, Route } from "@svc/agent/ports.ts";

/** A container of the app as a deploy makes it. */
export function runDummyContainer(
  engine: DummyEngine,
  app: AppRef,
  deployId: string,
  release = "v1",
): Promise<ContainerState> {
  return engine.run({
    app,
    role: "app",
    deployId,
    release,
    image: engine.addImage(app.id, deployId),
    env: {},
    port: 3000,
    memoryBytes: 64 * 1024 * 1024,
    cpuMillis: 100,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
}

export function routeToContainer(host: string, { id, appId, address, port }: ContainerState): Route {
  return { host, appId, containerId: id, upstream: `${address}:${port}`, state: "serving" };
}
