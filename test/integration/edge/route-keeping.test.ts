import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createAppControl } from "@svc/agent/apps/app-control.ts";
import { createDummyEngine, type DummyEngine } from "@svc/agent/dummy/engine.ts";
import { createDummyProxy, type DummyProxy } from "@svc/agent/dummy/proxy.ts";
import { databaseContainer } from "@svc/agent/database/container.ts";
import { createRetirer } from "@svc/agent/apps/retire.ts";
import { proxyRoute } from "@svc/agent/steps/proxy-route.ts";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ProxyRouteSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { beforeEach, expect, it, vi } from "vitest";
import { routeToContainer, runDummyContainer } from "../../support/agent/dummy-containers.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

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

  await createRetirer({ ...options, isBusy: () => false }).retire(app, new AbortController().signal);
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

it("a switch that fails tells the app's last lines", async () => {
  const deployId = newId();
  const { port } = await runDummyContainer(engine, app, deployId);
  engine.knobs.log = [{ time: new Date(), text: "Error: no such table" }];
  proxy.knobs.unprovable.add("shop.test");
  const dataDirectory = await mkdtemp(join(tmpdir(), "svc-switch-"));
  const { ctx } = createTestStep({ app, deployId, engine });
  const failure = () => {
    const spec = create(ProxyRouteSpecSchema, { hosts: ["shop.test"], port });
    return proxyRoute.run({ ...ctx, dataDirectory, proxy }, spec).then(
      () => undefined,
      (error: SvcError) => error,
    );
  };
  const lines = "\nIts last log lines:\nError: no such table";
  expect(await failure()).toMatchObject({ code: "route_not_proven", message: expect.stringMatching(`${lines}$`) });
  await rm(dataDirectory, { recursive: true });
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

it("a container that was proven and ended with its engine is started again before the switch to it", async () => {
  const deployId = newId();
  const made = await runDummyContainer(engine, app, deployId);
  await engine.stop(made.id, 1);
  const { ctx } = createTestStep({ app, deployId, engine });
  const dataDirectory = await mkdtemp(join(tmpdir(), "svc-switch-"));
  const spec = create(ProxyRouteSpecSchema, { hosts: ["shop.test"], port: made.port });
  await proxyRoute.run({ ...ctx, dataDirectory, proxy }, spec);
  expect(await proxy.routes()).toMatchObject([routeToContainer("shop.test", made)]);
  expect(await engine.list({ deployId })).toMatchObject([{ state: "running" }]);
  await rm(dataDirectory, { recursive: true });
});

it("an app is started after its database, and not at all while that takes no connections", async () => {
  const container = await runDummyContainer(engine, app, newId());
  const database = await engine.run(databaseContainer(app, "16"));
  await proxy.setRoutes(app.id, [routeToContainer("shop.test", container)]);
  for (const { id } of [container, database]) await engine.stop(id, 1);
  const start = vi.spyOn(engine, "start");
  let isReady = false;
  let elapsedMs = 0;
  const control = createAppControl({
    engine,
    proxy,
    keepLastDump: async () => undefined,
    clock: { now: () => new Date(elapsedMs), sleep: async () => void (elapsedMs += 1000) },
    log,
    accepts: () => Promise.resolve(true),
    isDatabaseReady: () => Promise.resolve(isReady),
  });
  await expect(control.start(app, unhurried)).rejects.toMatchObject({ code: "database_not_ready" });
  await expect(control.restart(app, unhurried)).rejects.toMatchObject({ code: "database_not_ready" });
  expect(start.mock.calls).toEqual([[database.id]]);
  isReady = true;
  await control.start(app, unhurried);
  expect(start.mock.calls).toEqual([[database.id], [container.id]]);
});
