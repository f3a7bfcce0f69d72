import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createAppControl } from "@svc/agent/app-control.ts";
import { createDummyEngine, type DummyEngine } from "@svc/agent/dummy/engine.ts";
import { createDummyProxy, type DummyProxy } from "@svc/agent/dummy/proxy.ts";
import { reconcileRoutes } from "@svc/agent/reconcile-routes.ts";
import { createRetirer } from "@svc/agent/retire.ts";
import { proxyRoute } from "@svc/agent/steps/proxy-route.ts";
import { systemClock, type Clock } from "@svc/shared/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ProxyRouteSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/ids.ts";
import { silentLogger as log } from "@svc/shared/logger.ts";
import { beforeEach, expect, it } from "vitest";
import { routeToContainer, runDummyContainer } from "../support/dummy-containers.ts";
import { createTestStep } from "../support/step-context.ts";

const unhurried = new AbortController().signal;

const app = { id: newId(), name: "shop" };
const hurriedClock: Clock = { now: () => systemClock.now(), sleep: () => Promise.resolve() };

let engine: DummyEngine;
let proxy: DummyProxy;

beforeEach(() => {
  engine = createDummyEngine();
  proxy = createDummyProxy();
});

async function ids(): Promise<string[]> {
  return (await engine.list({ role: "app" })).map(({ id }) => id);
}

it("while its successor is not proven, a sweep keeps the container that served", async () => {
  const former = await runDummyContainer(engine, app, newId());
  const busy = newId();
  const successor = await runDummyContainer(engine, app, busy);
  const stray = await runDummyContainer(engine, { id: newId(), name: "other" }, newId());
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", successor)]);
  const options = { engine, proxy, clock: hurriedClock, log };

  await createRetirer({ ...options, isBusy: (deployId) => deployId === busy }).sweep(new AbortController().signal);
  expect(await ids()).toEqual(expect.arrayContaining([former.id, successor.id]));
  expect(await ids()).not.toContain(stray.id);

  await createRetirer({ ...options, isBusy: () => false }).retire(app, [], new AbortController().signal);
  expect(await ids()).toEqual([successor.id]);
});

it("a switch that is not proven is taken back also while the engine is away, and says why it was not proven", async () => {
  const former = await runDummyContainer(engine, app, newId());
  const deployId = newId();
  const { port } = await runDummyContainer(engine, app, deployId);
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", former)]);
  const { ctx } = createTestStep({ app, deployId, engine });
  const dataDirectory = await mkdtemp(join(tmpdir(), "svc-switch-"));
  const prove = (): Promise<never> => {
    engine.knobs.down = true;
    return Promise.reject(new SvcError("route_not_proven", "No answer came."));
  };
  const spec = create(ProxyRouteSpecSchema, { hosts: ["shop.test"], port });
  const running = proxyRoute.run({ ...ctx, dataDirectory, proxy: { ...proxy, prove } }, spec);
  await expect(running).rejects.toMatchObject({ code: "route_not_proven" });
  expect(await proxy.routes()).toEqual([routeToContainer("shop.test", former)]);
  await rm(dataDirectory, { recursive: true });
});

it("correcting the routes never takes back a switch that a deploy makes meanwhile", async () => {
  const former = await runDummyContainer(engine, app, newId());
  const next = await runDummyContainer(engine, app, newId());
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", former)]);
  await engine.stop(former.id, 1);
  const switching = {
    ...engine,
    start: async (id: string) => {
      await engine.start(id);
      await proxy.setRoutes(app.id, [routeToContainer("shop.test", next)]);
    },
  };
  expect(await reconcileRoutes({ engine: switching, proxy, log })).toBe(true);
  expect(await proxy.routes()).toEqual([routeToContainer("shop.test", next)]);
});

it("starting an app never takes back a switch that a deploy makes meanwhile", async () => {
  const former = await runDummyContainer(engine, app, newId());
  const next = await runDummyContainer(engine, app, newId());
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", former)]);
  const accepts = async (): Promise<boolean> => {
    await proxy.setRoutes(app.id, [routeToContainer("shop.test", next)]);
    return true;
  };
  const control = createAppControl({
    engine,
    proxy,
    keepLastDump: async () => undefined,
    clock: hurriedClock,
    log,
    accepts,
  });
  await expect(control.start(app, unhurried)).rejects.toMatchObject({ code: "deploy_in_progress" });
  expect(await proxy.routes()).toEqual([routeToContainer("shop.test", next)]);
});

it("a container that can't be started keeps no other app down, and is tried again", async () => {
  const apps = [app, { id: newId(), name: "second" }, { id: newId(), name: "third" }];
  const containers = await Promise.all(apps.map((each) => runDummyContainer(engine, each, newId())));
  for (const [index, container] of containers.entries()) {
    await proxy.setRoutes(container.appId, [routeToContainer(`app-${index}.test`, container)]);
    await engine.stop(container.id, 1);
  }
  const [broken] = containers;
  const failing = {
    ...engine,
    start: (id: string) =>
      id === broken!.id ? Promise.reject(new SvcError("internal", "It does not start.")) : engine.start(id),
  };
  expect(await reconcileRoutes({ engine: failing, proxy, log })).toBe(false);
  const states = new Map((await engine.list({})).map(({ id, state }) => [id, state]));
  expect(containers.map(({ id }) => states.get(id))).toEqual(["exited", "running", "running"]);
  expect(await reconcileRoutes({ engine, proxy, log })).toBe(true);
});
