import { createAppControl, type AppControl } from "@svc/agent/apps/app-control.ts";
import { createDummyEngine, type DummyEngine } from "@svc/agent/dummy/engine.ts";
import { createDummyProxy, type DummyProxy } from "@svc/agent/dummy/proxy.ts";
import type { ContainerState } from "@svc/agent/ports.ts";
import { createRetirer } from "@svc/agent/apps/retire.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { routeToContainer, runDummyContainer } from "../../support/agent/dummy-containers.ts";

const app = { id: newId(), name: "shop", ownerId: newId() };
const other = { id: newId(), name: "other" };
const hosts = [{ host: "shop.test", subdomain: true as const }];

let engine: DummyEngine;
let proxy: DummyProxy;
let control: AppControl;

beforeEach(() => {
  engine = createDummyEngine();
  proxy = createDummyProxy();
  const keepLastDump = () => Promise.resolve();
  control = createAppControl({ engine, proxy, keepLastDump, clock: systemClock, log, drainSeconds: 0 });
});

const container = (release: string): Promise<ContainerState> => runDummyContainer(engine, app, newId(), release);
const live = { name: "v2", isStopped: false };

describe("an agent that has lost its routes", () => {
  it("leads the hosts to the container of the release that is live, and to no other", async () => {
    const [, serving] = [await container("v1"), await container("v2"), await container("v3")];
    await control.setHosts(app, hosts, live);
    expect(await proxy.routes()).toEqual([
      {
        host: "shop.test",
        subdomain: true,
        appId: app.id,
        ownerId: app.ownerId,
        containerId: serving.id,
        upstream: `${serving.address}:${serving.port}`,
        state: "serving",
      },
    ]);
  });

  it("answers for a stopped app that it is stopped, and starts nothing", async () => {
    const { id } = await container("v2");
    await engine.stop(id, 0);
    await control.setHosts(app, hosts, { ...live, isStopped: true });
    expect(await proxy.routes()).toMatchObject([{ host: "shop.test", containerId: id, state: "stopped" }]);
    expect(await engine.list({ appId: app.id })).toMatchObject([{ state: "exited" }]);
  });

  it("asks for a deploy where that container is gone, or the control plane names no release", async () => {
    await container("v1");
    await expect(control.setHosts(app, hosts, live)).rejects.toMatchObject({ code: "not_found" });
    await expect(control.setHosts(app, hosts, undefined)).rejects.toMatchObject({ code: "not_found" });
  });

  it("removes no container as a stray, although the routes come back one app after the other", async () => {
    const [first, second] = [await container("v2"), await runDummyContainer(engine, other, newId(), "v1")];
    // The first app's routes are back when the sweep has waited.
    const waiting: Clock = { now: () => new Date(), sleep: () => control.setHosts(app, hosts, live) };
    await createRetirer({ engine, proxy, clock: waiting, log, isBusy: () => false }).sweep(
      new AbortController().signal,
    );
    const left = (await engine.list({ role: "app" })).map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining([first.id, second.id]));
  });
});

it("an app that has routes keeps its container, whatever release is live", async () => {
  const [routed] = [await container("v1"), await container("v2")];
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", routed)]);
  await control.setHosts(app, hosts, live);
  expect(await proxy.routes()).toMatchObject([{ containerId: routed.id }]);
});

it("an app that is being removed gets no routes, although its container is still there", async () => {
  const { id } = await container("v2");
  await control.setHosts(app, hosts, live);
  const stopping = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const stop = engine.stop.bind(engine);
  engine.stop = async (...call) => {
    stopping.resolve();
    await goOn.promise;
    return stop(...call);
  };
  const removed = control.remove(app, false);
  await stopping.promise;
  expect(await engine.list({ appId: app.id })).toMatchObject([{ id }]);
  await expect(control.setHosts(app, hosts, live)).rejects.toMatchObject({ code: "not_found" });
  goOn.resolve();
  await removed;
  expect(await proxy.routes()).toEqual([]);
});
