import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { StopReason } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { LAST_WATERMARKS } from "@svc/shared/rules/disk-watermarks.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAppControl } from "@svc/agent/apps/app-control.ts";
import { DEFAULT_DISK_LIMITS } from "@svc/agent/engine/disk-limits.ts";
import { parseRoutes, serializeRoutes } from "@svc/agent/edge/routes.ts";
import { createDummyEngine } from "@svc/agent/dummy/engine.ts";
import { createDummyHost } from "@svc/agent/dummy/host.ts";
import { createDummyProxy } from "@svc/agent/dummy/proxy.ts";
import type { AppRef, ContainerRole, ContainerState, Route } from "@svc/agent/ports.ts";
import { AppHealth } from "@svc/agent/host/app-health.ts";
import { Changes } from "@svc/agent/platform/changes.ts";
import { StatusCollector } from "@svc/agent/host/collector.ts";
import { LastErrors } from "@svc/agent/host/last-errors.ts";
import { UpstreamStates } from "@svc/agent/edge/upstream-states.ts";
import { watchDisk } from "@svc/agent/bounds/watch-disk.ts";

const KIB = 1024;
const GIB = 1024 ** 3;
const LIMITS = { ...DEFAULT_DISK_LIMITS, appBytes: 64 * KIB };
const PATIENT = { timeout: 10_000, interval: 25 };
/** The watch's clock runs so many times faster: the rest of 5 s between two looks takes 50 ms. */
const HASTE = 100;

/** Tells the watch that a wait took as long as it was to take. */
const hastyClock: Clock = {
  now: () => systemClock.now(),
  async sleep(ms, signal) {
    await systemClock.sleep(ms / HASTE, signal);
    vi.advanceTimersByTime(ms);
  },
};

let root: string;
let stop: AbortController;
let world: ReturnType<typeof setUp>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  root = mkdtempSync(join(tmpdir(), "svc-layers-"));
  stop = new AbortController();
  world = setUp();
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

/** Engine, proxy and host are dummies; the layers of containers are real directories. */
function setUp() {
  const [engine, proxy, host] = [createDummyEngine(), createDummyProxy(), createDummyHost()];
  const heldBack = new Set<string>();
  const layers = new Map<string, string>();
  const volumes = new Map<string, string[]>();
  /** Containers whose places the watch has asked for, one after the other. */
  const looks: string[] = [];
  engine.knobs.storage = (id) => (
    looks.push(id),
    [...(layers.has(id) ? [layers.get(id)!] : []), ...(volumes.get(id) ?? [])]
  );
  const lastErrors = new LastErrors(systemClock, () => new Changes().notify());
  const collector = new StatusCollector({
    version: "1",
    engine,
    proxy,
    host,
    dataDirectory: "/",
    clock: systemClock,
    lastErrors,
    health: new AppHealth(systemClock),
    upstreams: new UpstreamStates(systemClock),
    heldLocks: () => [],
    runningStep: () => undefined,
  });
  const control = createAppControl({
    engine,
    proxy,
    keepLastDump: () => Promise.resolve(),
    clock: systemClock,
    log,
    drainSeconds: 0,
    accepts: () => Promise.resolve(true),
    isDatabaseReady: () => Promise.resolve(true),
  });
  const report = (code: string, message: string): void => lastErrors.record(code, message);
  const watch = (limits = LIMITS, watchLog = log) =>
    void watchDisk({ engine, proxy, heldBack, host, limits, clock: hastyClock, log: watchLog, report }, stop.signal);
  return { engine, proxy, heldBack, host, layers, looks, volumes, lastErrors, collector, control, watch };
}

/** A container of the app with a layer of its own, which no route leads to. */
async function runContainer(app: AppRef, role: ContainerRole = "app"): Promise<ContainerState> {
  const { engine, layers } = world;
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const rest = { release: "v1", env: {}, port: 3000, memoryBytes: 1, cpuMillis: 1 };
  const container = await engine.run({
    app,
    role,
    deployId,
    image,
    aliases: [],
    volumes: {},
    capabilities: [],
    ...rest,
  });
  layers.set(container.id, mkdtempSync(join(root, `${app.name}-`)));
  return container;
}

async function addApp(name: string): Promise<{ app: AppRef; container: ContainerState }> {
  const app = { id: newId(), name };
  const container = await runContainer(app);
  const upstream = `${container.address}:3000`;
  const route: Route = { host: `${name}.test`, appId: app.id, containerId: container.id, upstream, state: "serving" };
  await world.proxy.setRoutes(app.id, [route]);
  return { app, container };
}

const write = ({ id }: ContainerState, kib: number): void =>
  writeFileSync(join(world.layers.get(id)!, "file"), Buffer.alloc(kib * KIB, 1));
const states = async (app: AppRef) => (await world.engine.list({ appId: app.id })).map(({ state }) => state);
const routesOf = async (app: AppRef) => (await world.proxy.routes()).filter(({ appId }) => appId === app.id);

test("an app over its limit is stopped with a reason that its routes keep, and another is not", async () => {
  const [large, small] = [await addApp("large"), await addApp("small")];
  write(large.container, 100);
  write(small.container, 10);
  world.watch();
  await vi.waitFor(async () => expect((await routesOf(large.app))[0]?.state).toBe("stopped"), PATIENT);
  expect(await states(large.app)).toEqual(["exited"]);
  expect(await states(small.app)).toEqual(["running"]);
  const [route] = parseRoutes(serializeRoutes(await routesOf(large.app)));
  expect(route?.stoppedBy).toMatchObject({
    reason: "disk_limit",
    detail: expect.stringContaining("The app large was"),
  });
  expect((await routesOf(small.app))[0]).toMatchObject({ state: "serving" });
});

test("a stop that its routes could not say at first is said as soon as they can be written", async () => {
  const { app, container } = await addApp("large");
  const { updateRoutes } = world.proxy;
  let refusals = 0;
  world.proxy.updateRoutes = () => {
    refusals += 1;
    return Promise.reject(new Error("ENOSPC: no space left on device"));
  };
  write(container, 100);
  world.watch();
  await vi.waitFor(() => expect(refusals).toBeGreaterThan(1), PATIENT);
  expect(await states(app)).toEqual(["exited"]);
  expect(world.heldBack).toEqual(new Set([container.id]));
  expect(world.lastErrors.list()[0]?.message).toContain("The app large");
  world.proxy.updateRoutes = updateRoutes;
  await vi.waitFor(async () => expect((await routesOf(app))[0]?.stoppedBy?.reason).toBe("disk_limit"), PATIENT);
  await vi.waitFor(() => expect(world.heldBack).toEqual(new Set()));
});

test("an engine that never answers a stop does not keep the watch from other apps", async () => {
  const [first, second] = [await addApp("first"), await addApp("second")];
  const { stop: stopContainer } = world.engine;
  const asked = new Set<string>();
  world.engine.stop = (id, seconds) => {
    if (asked.has(id)) return stopContainer(id, seconds);
    asked.add(id);
    return new Promise(() => undefined);
  };
  for (const { container } of [first, second]) write(container, 100);
  world.watch();
  for (const { app } of [first, second]) {
    await vi.waitFor(async () => expect((await routesOf(app))[0]?.state).toBe("stopped"), PATIENT);
  }
});

test("the layer and all volumes of an app count together against its limit", async () => {
  const { app, container } = await addApp("spread");
  const volumes = Array.from({ length: 5 }, (_, at) => mkdtempSync(join(root, `volume-${at}-`)));
  world.volumes.set(container.id, volumes);
  for (const volume of volumes) writeFileSync(join(volume, "file"), Buffer.alloc(16 * KIB, 1));
  world.watch();
  await vi.waitFor(async () => expect((await routesOf(app))[0]?.state).toBe("stopped"), PATIENT);
  expect((await routesOf(app))[0]?.stoppedBy?.detail).toContain("its files on the server's disk grew to 1 MiB");
});

test("the status tells which app was stopped and why, and the operator reads it among the errors", async () => {
  const { app, container } = await addApp("large");
  write(container, 100);
  world.watch();
  await vi.waitFor(() => expect(world.lastErrors.list()).toHaveLength(1), PATIENT);
  const { stoppedApps, lastErrors } = await world.collector.collect();
  expect(stoppedApps).toMatchObject([{ appId: app.id, reason: StopReason.DISK_LIMIT }]);
  expect(lastErrors).toMatchObject([{ code: "disk_limit", message: stoppedApps[0]!.detail }]);
});

test("a start takes the reason away, and while the app is as large it is stopped again", async () => {
  const { app, container } = await addApp("large");
  write(container, 100);
  world.watch();
  const stopped = () =>
    vi.waitFor(async () => {
      const [route] = await routesOf(app);
      expect(route).toMatchObject({ state: "stopped", stoppedBy: expect.anything() });
      return route!.stoppedBy!.at;
    }, PATIENT);
  const first = await stopped();
  await world.control.start(app, new AbortController().signal);
  const [route] = await routesOf(app);
  expect(route).toMatchObject({ state: "serving" });
  expect(route?.stoppedBy).toBeUndefined();
  expect(await stopped()).not.toBe(first);
  // Its owner's stop leaves the reason: the app was not started since.
  await world.control.stop(app);
  expect((await routesOf(app))[0]?.stoppedBy).toBeDefined();
});

test("an app that is started to delete from its database, which is over the limit, is left to run", async () => {
  const { app } = await addApp("shop");
  const database = await runContainer(app, "database");
  world.watch({ ...LIMITS, databaseBytes: 64 * KIB });
  const rounds = () => world.looks.filter((id) => id === database.id).length;
  await vi.waitFor(() => expect(rounds()).toBe(2), PATIENT);
  write(database, 66);
  await vi.waitFor(async () => expect((await routesOf(app))[0]?.state).toBe("stopped"), PATIENT);
  await world.control.start(app, new AbortController().signal);
  const before = rounds();
  await vi.waitFor(() => expect(rounds()).toBeGreaterThan(before + 1), PATIENT);
  expect((await routesOf(app))[0]?.state).toBe("serving");
});

test("a container that a deploy has not switched to is stopped without a word on the app, which serves on", async () => {
  const serving = await addApp("shop");
  const fresh = await runContainer(serving.app);
  write(fresh, 100);
  world.watch();
  await vi.waitFor(async () => expect((await states(serving.app)).toSorted()).toEqual(["exited", "running"]), PATIENT);
  expect(await routesOf(serving.app)).toMatchObject([{ state: "serving", containerId: serving.container.id }]);
});

test("on a disk that is nearly full and that no app fills nobody is stopped, and the operator is told once", async () => {
  const { app, container } = await addApp("small");
  write(container, 10);
  world.host.knobs.diskAvailableBytes = GIB;
  world.watch();
  await vi.waitFor(() => expect(world.lastErrors.list()).toHaveLength(1), PATIENT);
  expect(world.lastErrors.list()[0]).toMatchObject({ code: "disk_full" });
  expect(await states(app)).toEqual(["running"]);
});

test("an agent that starts on a nearly full disk stops no app for what it held before", async () => {
  const { app, container } = await addApp("large");
  write(container, 4096);
  const disk = await world.host.disk("/");
  world.host.disk = () => Promise.resolve({ ...disk, totalBytes: 4096 * KIB, availableBytes: 0 });
  world.watch({ ...LIMITS, appBytes: GIB });
  await vi.waitFor(() => expect(world.lastErrors.list()).toHaveLength(1), PATIENT);
  expect(world.lastErrors.list()[0]).toMatchObject({ code: "disk_full" });
  expect(await states(app)).toEqual(["running"]);
});

/** Starts the watch, and says that the disk is full, with 4 MiB, once the watch knows the container as an empty one. */
async function fillDisk(container: ContainerState): Promise<void> {
  world.watch({ ...LIMITS, appBytes: GIB });
  // Its places are asked for before it is measured: the second question comes after the first measure.
  const looks = () => world.looks.filter((id) => id === container.id).length;
  await vi.waitFor(() => expect(looks()).toBeGreaterThan(1), PATIENT);
  const disk = await world.host.disk("/");
  world.host.disk = () => Promise.resolve({ ...disk, totalBytes: 4096 * KIB, availableBytes: 0 });
}

test("an app that has filled the disk and ended by itself is removed with a reason, and not started again", async () => {
  const { app, container } = await addApp("large");
  await fillDisk(container);
  await world.engine.stop(container.id, 0);
  // The agent starts what a serving route leads to.
  expect(await routesOf(app)).toMatchObject([{ state: "serving" }]);
  write(container, 4096);
  await vi.waitFor(async () => expect(await states(app)).toEqual([]), PATIENT);
  expect(await routesOf(app)).toMatchObject([{ state: "stopped", stoppedBy: { reason: "disk_limit" } }]);
});

test("an app that has filled the disk is removed even when its owner stops it, who reads why at the next start", async () => {
  const { app, container } = await addApp("large");
  await world.control.stop(app);
  await fillDisk(container);
  write(container, 4096);
  await vi.waitFor(async () => expect(await states(app)).toEqual([]), PATIENT);
  await expect(world.control.start(app, new AbortController().signal)).rejects.toMatchObject({
    message: expect.stringContaining("Its container was removed with these files"),
  });
});

test("an app that was stopped for its limit keeps its files only while the disk has room for builds", async () => {
  const { app, container } = await addApp("large");
  const kept = await addApp("kept");
  write(container, 100);
  world.watch();
  await vi.waitFor(async () => expect((await routesOf(app))[0]?.state).toBe("stopped"), PATIENT);
  expect(await states(app)).toEqual(["exited"]);
  // More than what stops an app that grew, and less than what a build needs.
  world.host.knobs.diskAvailableBytes = 1.5 * GIB;
  const { totalBytes } = await world.host.disk("/");
  expect(1.5 * GIB).toBeGreaterThan(totalBytes * LAST_WATERMARKS.ratioMin);
  await vi.waitFor(async () => expect(await states(app)).toEqual([]), PATIENT);
  expect((await routesOf(app))[0]?.stoppedBy?.detail).toContain("Its container was removed with these files");
  expect(await states(kept.app)).toEqual(["running"]);
});

test("the owner of an app whose container was removed reads why, when it is started", async () => {
  const { app, container } = await addApp("large");
  write(container, 100);
  world.host.knobs.diskAvailableBytes = GIB;
  world.watch();
  await vi.waitFor(async () => expect(await states(app)).toEqual([]), PATIENT);
  await expect(world.control.start(app, new AbortController().signal)).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("Its container was removed with these files"),
  });
  expect((await world.collector.collect()).stoppedApps).toMatchObject([{ appId: app.id }]);
});

test("a container that a killed agent had stopped and not removed yet is removed by the next", async () => {
  const { app, container } = await addApp("large");
  const kept = await addApp("kept");
  world.host.knobs.diskAvailableBytes = GIB;
  write(container, 100);
  const remove = world.engine.remove.bind(world.engine);
  world.engine.remove = () => (stop.abort(), Promise.reject(new Error("killed")));
  world.watch();
  await vi.waitFor(() => expect(stop.signal.aborted).toBe(true), PATIENT);
  expect(await states(app)).toEqual(["exited"]);
  world.engine.remove = remove;
  stop = new AbortController();
  world.watch();
  await vi.waitFor(async () => expect(await states(app)).toEqual([]), PATIENT);
  expect(await states(kept.app)).toEqual(["running"]);
});

test("an engine that was away is watched again when it is back", async () => {
  const { app, container } = await addApp("large");
  world.engine.knobs.down = true;
  world.watch();
  write(container, 100);
  world.engine.knobs.down = false;
  await vi.waitFor(async () => expect(await states(app)).toEqual(["exited"]), PATIENT);
});
