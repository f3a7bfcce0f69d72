import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { beforeEach, expect, test, vi } from "vitest";
import { createAppTurns } from "./app-turns.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import { createDummyProxy, type DummyProxy } from "../dummy/proxy.ts";
import type { RouteState } from "../edge/routes.ts";
import type { AppRef, ContainerState, Route } from "../ports.ts";
import { databaseContainer } from "../database/container.ts";
import { createReconciler, type ReconcilerOptions } from "./reconcile-apps.ts";

let engine: DummyEngine;
let proxy: DummyProxy;
/** The containers that the engine was asked to start, in order. */
let started: string[];

beforeEach(() => {
  engine = createDummyEngine();
  proxy = createDummyProxy();
  started = [];
  const start = engine.start.bind(engine);
  engine.start = (id) => (started.push(id), start(id));
});

const newApp = (name: string): AppRef => ({ id: newId(), name });

function runApp(app: AppRef): Promise<ContainerState> {
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const spec = databaseContainer(app, "16");
  return engine.run({ ...spec, role: "app", deployId, release: "v1", image, port: 3000 });
}

const runDatabase = (app: AppRef): Promise<ContainerState> => engine.run(databaseContainer(app, "16"));

const routeTo = ({ id, appId, appName, address, port }: ContainerState, state: RouteState = "serving"): Route => ({
  host: `${appName}.test`,
  appId,
  containerId: id,
  upstream: `${address}:${port}`,
  state,
});

/** The containers are as the engine's end, and its return, leave them. */
async function endAll(): Promise<void> {
  for (const { id } of await engine.list({})) await engine.stop(id, 0);
}

function reconcile(options: Partial<ReconcilerOptions> = {}): Promise<boolean> {
  const isReady = () => Promise.resolve(true);
  return createReconciler({ engine, proxy, turns: createAppTurns(), clock: systemClock, log, isReady, ...options })();
}

async function running(): Promise<string[]> {
  return (await engine.list({})).filter(({ state }) => state === "running").map(({ id }) => id);
}

test("databases are started first, and an app when its database takes connections", async () => {
  const [shop, plain] = [newApp("shop"), newApp("plain")];
  const [database, app, other] = [await runDatabase(shop), await runApp(shop), await runApp(plain)];
  await proxy.setRoutes(shop.id, [routeTo(app)]);
  await proxy.setRoutes(plain.id, [routeTo(other)]);
  await endAll();
  let asked = 0;
  const isReady = async (): Promise<boolean> => {
    // An app without a database waits for none.
    await vi.waitFor(() => expect(started).toContain(other.id));
    return ++asked === 3;
  };
  const start = (id: string): Promise<void> => {
    if (id === app.id) expect(asked).toBe(3);
    return engine.start(id);
  };
  expect(await reconcile({ engine: { ...engine, start }, isReady })).toBe(true);
  expect(started).toEqual([database.id, other.id, app.id]);
});

test("nothing is started that runs, or that the engine is about to start again", async () => {
  const shop = newApp("shop");
  const app = await runApp(shop);
  await proxy.setRoutes(shop.id, [routeTo(app)]);
  const restarting = () => Promise.resolve([{ ...app, state: "restarting" }]);
  expect(await reconcile()).toBe(true);
  expect(await reconcile({ engine: { ...engine, list: restarting } })).toBe(true);
  expect(started).toEqual([]);
});

test("the database of a stopped app is started, and the app is not", async () => {
  const shop = newApp("shop");
  const [database, app] = [await runDatabase(shop), await runApp(shop)];
  await proxy.setRoutes(shop.id, [routeTo(app, "stopped")]);
  await endAll();
  await reconcile();
  expect(await running()).toEqual([database.id]);
});

test("the database of a soft-stopped app stays stopped until a deploy of it goes on", async () => {
  const shop = newApp("shop");
  const database = await runDatabase(shop);
  await endAll();
  await reconcile();
  expect(await running()).toEqual([]);
  await reconcile({ isDeploying: (appId) => appId === shop.id });
  expect(await running()).toEqual([database.id]);
});

test("the database of an app that has no release yet is started", async () => {
  const shop = newApp("shop");
  const database = await runDatabase(shop);
  await proxy.setRoutes(shop.id, [
    { host: "shop.test", appId: shop.id, containerId: "", upstream: "", state: "undeployed" },
  ]);
  await endAll();
  await reconcile();
  expect(await running()).toEqual([database.id]);
});

test("an app whose routes say that it is stopped is stopped, and no other", async () => {
  const [shop, other] = [newApp("shop"), newApp("other")];
  const [database, app, serving] = [await runDatabase(shop), await runApp(shop), await runApp(other)];
  await proxy.setRoutes(shop.id, [routeTo(app, "stopped")]);
  await proxy.setRoutes(other.id, [routeTo(serving)]);
  expect(await reconcile()).toBe(true);
  expect((await running()).toSorted()).toEqual([database.id, serving.id].toSorted());
});

test("a stopped app goes on while it is being started, or a step of its deploy works on it", async () => {
  const shop = newApp("shop");
  const app = await runApp(shop);
  await proxy.setRoutes(shop.id, [routeTo(app, "stopped")]);
  const turns = createAppTurns();
  const done = Promise.withResolvers<void>();
  const starting = turns.take(shop.id, () => done.promise);
  await reconcile({ turns });
  done.resolve();
  await starting;
  await reconcile({ isDeploying: () => true });
  expect(await running()).toEqual([app.id]);
});

test("a container that no route leads to is left to its deploy", async () => {
  const shop = newApp("shop");
  const [live, next] = [await runApp(shop), await runApp(shop)];
  await proxy.setRoutes(shop.id, [routeTo(live)]);
  await endAll();
  await reconcile();
  expect(started).toEqual([live.id]);
  expect(await running()).not.toContain(next.id);
});

test("an app that the agent is stopping for its disk is not started again before its routes say so", async () => {
  const shop = newApp("shop");
  const app = await runApp(shop);
  await proxy.setRoutes(shop.id, [routeTo(app)]);
  await endAll();
  await reconcile({ heldBack: new Set([app.id]) });
  expect(started).toEqual([]);
});

test("an app of which something is asked meanwhile is left alone, and the others are started", async () => {
  const [shop, other] = [newApp("shop"), newApp("other")];
  const [app, served] = [await runApp(shop), await runApp(other)];
  await proxy.setRoutes(shop.id, [routeTo(app)]);
  await proxy.setRoutes(other.id, [routeTo(served)]);
  await endAll();
  const turns = createAppTurns();
  const done = Promise.withResolvers<void>();
  const removing = turns.take(shop.id, () => done.promise);
  await reconcile({ turns });
  expect(started).toEqual([served.id]);
  done.resolve();
  await removing;
});

test("an app that is removed while others are started is not started any more", async () => {
  const [first, second] = [newApp("first"), newApp("second")];
  const [app, database] = [await runApp(first), await runDatabase(second)];
  const removed = await runApp(second);
  await proxy.setRoutes(first.id, [routeTo(app)]);
  await proxy.setRoutes(second.id, [routeTo(removed)]);
  await endAll();
  const list: DummyEngine["list"] = async (filter) => {
    const containers = await engine.list(filter);
    if (filter.appId === undefined) {
      await proxy.setRoutes(second.id, []);
      await engine.remove(removed.id);
    }
    return containers;
  };
  await reconcile({ engine: { ...engine, list } });
  expect(started).toEqual([app.id]);
  expect(await running()).not.toContain(database.id);
});

test("a container that can't be started keeps no other app down, is told once, and is tried again", async () => {
  const apps = ["first", "second", "third"].map(newApp);
  const containers = await Promise.all(apps.map(runApp));
  for (const container of containers) await proxy.setRoutes(container.appId, [routeTo(container)]);
  await endAll();
  const [broken] = containers;
  let isBroken = true;
  const start = (id: string): Promise<void> =>
    id === broken!.id && isBroken ? Promise.reject(new SvcError("internal", "No.")) : engine.start(id);
  const error = vi.fn();
  const again = createReconciler({
    engine: { ...engine, start },
    proxy,
    turns: createAppTurns(),
    clock: systemClock,
    log: Object.assign(Object.create(log), { error }) as typeof log,
  });
  expect(await again()).toBe(false);
  expect(await again()).toBe(false);
  expect(error).toHaveBeenCalledTimes(1);
  const states = new Map((await engine.list({})).map(({ id, state }) => [id, state]));
  expect(containers.map(({ id }) => states.get(id))).toEqual(["exited", "running", "running"]);
  isBroken = false;
  expect(await again()).toBe(true);
});

test("an engine that goes meanwhile is no failure of an app", async () => {
  const shop = newApp("shop");
  await proxy.setRoutes(shop.id, [routeTo(await runApp(shop))]);
  await endAll();
  const start = () => ((engine.knobs.down = true), engine.list({}).then(() => undefined));
  await expect(reconcile({ engine: { ...engine, start } })).rejects.toMatchObject({ code: "engine_unavailable" });
});

test("correcting the routes never takes back a switch that a deploy makes meanwhile", async () => {
  const shop = newApp("shop");
  const [former, next] = [await runApp(shop), await runApp(shop)];
  await proxy.setRoutes(shop.id, [{ ...routeTo(former), upstream: "127.0.0.1:1" }]);
  await endAll();
  const start = async (id: string): Promise<void> => {
    await engine.start(id);
    await proxy.setRoutes(shop.id, [routeTo(next)]);
  };
  expect(await reconcile({ engine: { ...engine, start } })).toBe(true);
  expect(await proxy.routes()).toEqual([routeTo(next)]);
});
