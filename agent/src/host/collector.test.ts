import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { Health, UnhealthyReason } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { createDummyEngine } from "../dummy/engine.ts";
import { createDummyHost } from "../dummy/host.ts";
import { createDummyProxy } from "../dummy/proxy.ts";
import { AppHealth } from "./app-health.ts";
import { Changes } from "../platform/changes.ts";
import { StatusCollector } from "./collector.ts";
import { LastErrors } from "./last-errors.ts";
import { UpstreamStates } from "../edge/upstream-states.ts";
import { watchStatus } from "./watch.ts";

function setUp() {
  const [engine, proxy] = [createDummyEngine(), createDummyProxy()];
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  const changes = new Changes();
  const lastErrors = new LastErrors(clock, () => changes.notify());
  const health = new AppHealth(clock);
  const upstreams = new UpstreamStates(clock, () => changes.notify());
  const collector = new StatusCollector({
    version: "1.2.3",
    engine,
    proxy,
    host: createDummyHost(),
    dataDirectory: "/",
    clock,
    lastErrors,
    health,
    upstreams,
    heldLocks: () => [],
    runningStep: () => undefined,
  });
  const later = (ms: number): number => (aheadMs += ms);
  return { engine, proxy, collector, changes, lastErrors, health, upstreams, later };
}

type World = ReturnType<typeof setUp>;

/** A container that a route leads to; nothing listens on the discard port of loopback. */
async function serveApp({ engine, proxy }: World, upstream = "127.0.0.1:9") {
  const [app, deployId] = [{ id: newId(), name: "shop" }, newId()];
  const image = engine.addImage(app.id, deployId);
  const rest = { env: {}, port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  const { id: containerId } = await engine.run({ app, role: "app", deployId, release: "v1", image, ...rest });
  const route = { host: "shop.test", appId: app.id, containerId, upstream, state: "serving" } as const;
  await proxy.setRoutes(app.id, [route]);
  return { app, deployId, containerId, route };
}

/** The app's entry, once so much time has passed. */
async function appAfter({ collector, later }: World, ms: number) {
  later(ms);
  return (await collector.collect()).apps[0];
}

let listener: Server | undefined;
afterEach(() => listener?.close());

/** An upstream that accepts connections. */
async function listen(): Promise<string> {
  listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(listener, "listening");
  return `127.0.0.1:${(listener.address() as AddressInfo).port}`;
}

test("however many ask, the host is looked at once a second", async () => {
  const { engine, collector, later } = setUp();
  let looks = 0;
  const describe = engine.describe.bind(engine);
  engine.describe = () => ((looks += 1), describe());
  await Promise.all(Array.from({ length: 50 }, () => collector.collect()));
  expect(looks).toBe(1);
  later(1000);
  await collector.collect();
  expect(looks).toBe(2);
});

test("an app is listed while a route leads to it, and is not serving when nothing listens", async () => {
  const world = setUp();
  const { app, deployId, containerId } = await serveApp(world);
  await world.proxy.setRoutes(app.id, []);
  expect(await appAfter(world, 0)).toBeUndefined();
  await world.proxy.setRoutes(app.id, [
    { host: "shop.test", appId: app.id, containerId, upstream: "127.0.0.1:9", state: "serving" },
  ]);
  const listed = await appAfter(world, 1000);
  expect(listed).toMatchObject({ app, deployId, release: "v1", containerId, health: Health.NOT_SERVING });
});

test("an app that accepts connections serves, with since when", async () => {
  const world = setUp();
  await serveApp(world, await listen());
  expect(await appAfter(world, 0)).toMatchObject({ health: Health.SERVING, reason: 0, since: expect.anything() });
});

test("an app on whose port nobody listens for 2 s says so", async () => {
  const world = setUp();
  await serveApp(world);
  expect(await appAfter(world, 0)).toMatchObject({ health: Health.NOT_SERVING, reason: 0 });
  const told = { health: Health.NOT_SERVING, reason: UnhealthyReason.NOT_LISTENING, since: expect.anything() };
  expect(await appAfter(world, 2000)).toMatchObject(told);
});

test("an app that the engine starts again and again is in a crash loop, with the number of restarts", async () => {
  const world = setUp();
  const { containerId } = await serveApp(world, await listen());
  await appAfter(world, 0);
  for (let time = 0; time < 3; time += 1) {
    world.engine.crash(containerId, 1);
    await appAfter(world, 1000);
  }
  expect(await appAfter(world, 1000)).toMatchObject({ reason: UnhealthyReason.CRASH_LOOP, restartCount: 3 });
});

test("a container that was removed is listed as gone, with the app's name", async () => {
  const world = setUp();
  const { app, containerId } = await serveApp(world, await listen());
  await appAfter(world, 0);
  await world.engine.remove(containerId);
  expect(await appAfter(world, 1000)).toMatchObject({ app, state: "gone", reason: 0 });
  expect(await appAfter(world, 2000)).toMatchObject({ app, reason: UnhealthyReason.GONE });
});

test("while the engine does not answer, no app is called gone, and the ports tell how apps are", async () => {
  const world = setUp();
  await serveApp(world, await listen());
  await appAfter(world, 0);
  world.engine.knobs.down = true;
  await appAfter(world, 60_000);
  expect(await appAfter(world, 60_000)).toMatchObject({ state: "unknown", health: Health.SERVING, reason: 0 });
});

test("an agent that starts while the engine is away tells by the ports how apps are", async () => {
  const world = setUp();
  const { app, route } = await serveApp(world, await listen());
  world.engine.knobs.down = true;
  await appAfter(world, 0);
  const found = { app: { id: app.id }, state: "unknown" };
  expect(await appAfter(world, 60_000)).toMatchObject({ ...found, health: Health.SERVING, reason: 0 });
  await world.proxy.setRoutes(app.id, [{ ...route, upstream: "127.0.0.1:9" }]);
  await appAfter(world, 1000);
  expect(await appAfter(world, 60_000)).toMatchObject({ ...found, reason: UnhealthyReason.NOT_LISTENING });
});

test("an app that its owner has stopped is not unhealthy", async () => {
  const world = setUp();
  const { app, route, containerId } = await serveApp(world, await listen());
  await world.proxy.setRoutes(app.id, [{ ...route, state: "stopped" }]);
  await world.engine.stop(containerId, 0);
  await appAfter(world, 0);
  expect(await appAfter(world, 60_000)).toMatchObject({ health: Health.NOT_SERVING, reason: 0 });
});

test("an app is told as stopped by its owner when its container has ended, and not before", async () => {
  const world = setUp();
  const { app, containerId, route } = await serveApp(world);
  const told = async () => (world.later(2_000), (await world.collector.collect()).ownerStoppedAppIds);
  expect(await told()).toEqual([]);
  await world.proxy.setRoutes(app.id, [
    { ...route, state: "stopped" },
    { ...route, host: "www.shop.test", state: "stopped" },
  ]);
  expect(await told()).toEqual([]);
  await world.engine.stop(containerId, 0);
  expect(await told()).toEqual([app.id]);
  const stoppedBy = {
    reason: "disk_limit",
    detail: "Full.",
    at: "2026-01-31T12:00:00Z",
    removesContainer: false,
  } as const;
  await world.proxy.setRoutes(app.id, [{ ...route, state: "stopped", stoppedBy }]);
  expect(await told()).toEqual([]);
  await world.proxy.setRoutes(app.id, [{ ...route, state: "stopped" }]);
  world.engine.knobs.down = true;
  expect(await told()).toEqual([]);
});

test("an app is not unhealthy while its owner has it restarted, and is when it does not come back", async () => {
  const world = setUp();
  const { app, containerId } = await serveApp(world, await listen());
  await appAfter(world, 0);
  await world.health.during(app.id, async () => {
    await world.engine.stop(containerId, 0);
    expect(await appAfter(world, 1000)).toMatchObject({ reason: 0 });
    expect(await appAfter(world, 60_000)).toMatchObject({ reason: 0 });
  });
  await appAfter(world, 1000);
  expect(await appAfter(world, 2000)).toMatchObject({ reason: UnhealthyReason.GONE });
});

test("a watcher hears of what has changed although the host was looked at just before", async () => {
  const world = setUp();
  const { containerId } = await serveApp(world, await listen());
  const ending = new AbortController();
  const watching = watchStatus(world.collector, world.changes, 300_000, ending.signal);
  expect((await watching.next()).value?.apps).toMatchObject([{ state: "running" }]);
  const next = watching.next();
  await world.engine.remove(containerId);
  world.changes.notify();
  expect((await next).value?.apps).toMatchObject([{ state: "gone" }]);
  ending.abort();
});

test("the newest 20 errors are kept, newest first, and cut to a length", () => {
  const { lastErrors } = setUp();
  for (let i = 0; i < 25; i += 1) lastErrors.record("internal", new Error(`${i} ${"x".repeat(1000)}`));
  const messages = lastErrors.list().map(({ message }) => message);
  expect(messages).toHaveLength(20);
  expect(messages[0]).toMatch(/^24 x+$/);
  expect(messages[0]!.length).toBe(500);
});

test("an error of a subject takes the place of its former one, and of no other's", () => {
  const { lastErrors } = setUp();
  lastErrors.record("disk_full", "the disk");
  lastErrors.record("out_of_memory", "shop", "shop");
  lastErrors.record("process_limit", "shop's processes", "shop");
  for (let time = 1; time <= 30; time += 1) lastErrors.record("out_of_memory", `greedy ${time}`, "greedy");
  const messages = lastErrors.list().map(({ message }) => message);
  expect(messages).toEqual(["greedy 30", "shop's processes", "shop", "the disk"]);
});

test("a watcher hears of an error at once and ends with its signal", async () => {
  const { collector, changes, lastErrors } = setUp();
  const ending = new AbortController();
  const watching = watchStatus(collector, changes, 300_000, ending.signal);
  expect((await watching.next()).value?.lastErrors).toEqual([]);
  const next = watching.next();
  lastErrors.record("disk_full", new Error("no space"));
  expect((await next).value?.lastErrors).toMatchObject([{ code: "disk_full", message: "no space" }]);
  const last = watching.next();
  ending.abort();
  expect((await last).done).toBe(true);
});
