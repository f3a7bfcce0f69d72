import { createDummyProxy } from "@svc/agent/dummy/proxy.ts";
import type { Proxy, Route } from "@svc/agent/ports.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeTo, startTestEdge, startUpstream, type TestEdge, type Upstream } from "../support/platform/edge.ts";

const APP = "0191e3a0-0000-7000-8000-000000000001";
const OTHER = "0191e3a0-0000-7000-8000-000000000002";

/** The contract of every proxy (agent/src/ports.ts). */
function promises(make: () => Promise<{ proxy: Proxy; cleanUp(): Promise<void> }>): void {
  let proxy: Proxy;
  let cleanUp: () => Promise<void>;
  let container: Upstream;
  let route: Route;

  beforeAll(async () => {
    ({ proxy, cleanUp } = await make());
    container = await startUpstream("container");
    route = routeTo("app.test", APP, container);
  });

  afterAll(async () => {
    await cleanUp();
    await container.close();
  });

  it("starting it twice is no error", async () => {
    await proxy.ensureRunning();
    await proxy.ensureRunning();
    expect((await proxy.describe()).reachable).toBe(true);
  });

  it("an app's routes are replaced as a whole, other apps' stay", async () => {
    await proxy.setRoutes(APP, [route, { ...route, host: "www.app.test" }]);
    await proxy.setRoutes(OTHER, [{ ...route, host: "other.test", appId: OTHER }]);
    await proxy.setRoutes(APP, [route]);
    expect((await proxy.routes()).map(({ host }) => host).sort()).toEqual(["app.test", "other.test"]);
    await proxy.setRoutes(OTHER, []);
    expect(await proxy.routes()).toEqual([route]);
  });

  it("concurrent changes of two apps are both kept", async () => {
    const other = { ...route, host: "other.test", appId: OTHER };
    await Promise.all([proxy.setRoutes(APP, [route]), proxy.setRoutes(OTHER, [other])]);
    expect(await proxy.routes()).toHaveLength(2);
    await proxy.setRoutes(OTHER, []);
  });

  it("a change that is made from the current routes loses no other change", async () => {
    await proxy.setRoutes(APP, [route]);
    const hosts = ["a.test", "b.test", "c.test"];
    await Promise.all(hosts.map((host) => proxy.updateRoutes(APP, (current) => [...current, { ...route, host }])));
    expect((await proxy.routes()).map(({ host }) => host).toSorted()).toEqual([
      "a.test",
      "app.test",
      "b.test",
      "c.test",
    ]);
    const refused = proxy.updateRoutes(APP, () => {
      throw new Error("no such change");
    });
    await expect(refused).rejects.toThrow("no such change");
    await proxy.updateRoutes(APP, (current) => current.filter(({ host }) => host === "app.test"));
    expect(await proxy.routes()).toEqual([route]);
  });

  it("a host is of one app, and what can't be served is refused and changes nothing", async () => {
    await proxy.setRoutes(APP, [route]);
    const refused: Route[] = [
      { ...route, appId: OTHER },
      { ...route, host: "Upper.test", appId: OTHER },
      { ...route, host: "a_b.test", appId: OTHER },
      { ...route, host: "x.test", appId: OTHER, upstream: "localhost:80" },
      { ...route, host: "x.test", appId: APP },
    ];
    for (const each of refused) {
      await expect(proxy.setRoutes(OTHER, [each])).rejects.toMatchObject({ code: "invalid_request" });
    }
    expect(await proxy.routes()).toEqual([route]);
  });

  it("a served route is proven; one to elsewhere, or stopped, is not", async () => {
    await proxy.setRoutes(APP, [route]);
    await proxy.prove("app.test", container.upstream, AbortSignal.timeout(10_000));
    const notProven = { code: "route_not_proven" };
    const signal = AbortSignal.timeout(10_000);
    await expect(proxy.prove("app.test", "127.0.0.1:9", signal)).rejects.toMatchObject(notProven);
    await expect(proxy.prove("unknown.test", container.upstream, signal)).rejects.toMatchObject(notProven);
    await proxy.setRoutes(APP, [{ ...route, state: "stopped" }]);
    await expect(proxy.prove("app.test", container.upstream, signal)).rejects.toMatchObject(notProven);
  });

  it("an idle upstream has no request in flight", async () => {
    expect(await proxy.requestsInFlight("127.0.0.1:9")).toBe(0);
    expect((await proxy.allRequestsInFlight()).get("127.0.0.1:9") ?? 0).toBe(0);
  });
}

describe("the dummy proxy", () => {
  promises(() => Promise.resolve({ proxy: createDummyProxy(), cleanUp: () => Promise.resolve() }));

  it("fails as its knobs say", async () => {
    const proxy = createDummyProxy();
    proxy.knobs.unavailable = "The proxy is away.";
    await expect(proxy.routes()).rejects.toMatchObject({ code: "proxy_unavailable" });
    expect((await proxy.describe()).reachable).toBe(false);
  });
});

describe("Caddy with the name server", () => {
  promises(async (): Promise<TestEdge> => startTestEdge());
});
