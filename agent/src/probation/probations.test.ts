import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { routesTo } from "../edge/routes.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import { createDummyProxy, type DummyProxy } from "../dummy/proxy.ts";
import type { ContainerState, Route } from "../ports.ts";
import { createRetirer } from "../apps/retire.ts";
import { openLedger } from "./ledger.ts";
import { createProbations, type Probations, type ProbationTuning } from "./probations.ts";

const app = { id: newId(), name: "shop" };
const PATIENT = { timeout: 10_000, interval: 10 };
/** This is long enough for each test that does not wait for its end. */
const tuning = (own: ProbationTuning = {}): ProbationTuning => ({
  ms: 600_000,
  patience: { brokenMs: 200, silentMs: 200 },
  ask: () => Promise.resolve("answered"),
  accepts: () => Promise.resolve(true),
  ...own,
});

/** So many times faster goes the clock: the two seconds in which an engine may tell why a container ended take 0.1. */
const HASTE = 20;

function hastyClock(): Clock {
  const from = Date.now();
  return {
    now: () => new Date(from + (Date.now() - from) * HASTE),
    sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
  };
}

let directory: string;
let engine: DummyEngine;
let proxy: DummyProxy;
/** The container that served before, and the one that serves since the switch. */
let former: ContainerState;
let young: ContainerState;
let formerRoutes: readonly Route[];
const running: AbortController[] = [];
let busyDeployId: string | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-probation-"));
  [engine, proxy] = [createDummyEngine(), createDummyProxy()];
  former = await run();
  young = await run();
  formerRoutes = await lead(former);
  await lead(young);
  busyDeployId = undefined;
});
afterEach(async () => {
  for (const each of running.splice(0)) each.abort();
  await rm(directory, { recursive: true, force: true });
});

async function run(deployId = newId()): Promise<ContainerState> {
  const image = engine.addImage(app.id, deployId);
  const parts = { env: {}, port: 3000, memoryBytes: 64 * 1024 ** 2, cpuMillis: 500, aliases: [], volumes: {} };
  return engine.run({ app, role: "app", deployId, release: "v1", image, capabilities: [], ...parts });
}

async function lead({ id, address, port }: ContainerState): Promise<Route[]> {
  const to = { appId: app.id, containerId: id, upstream: `${address}:${port}`, state: "serving" as const };
  const routes = routesTo(to, [{ host: "shop.test", pending: undefined, subdomain: true }]);
  await proxy.setRoutes(app.id, routes);
  return routes;
}

/** Runs probations as the agent does; `stop` is its end. */
async function open(own?: ProbationTuning): Promise<Probations & { stop(): Promise<void>; sweep(): Promise<void> }> {
  const stopping = new AbortController();
  running.push(stopping);
  const ledger = await openLedger({ dataDirectory: directory, log });
  const retirer = createRetirer({
    engine,
    proxy,
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    log,
    isBusy: (deployId) => deployId === busyDeployId,
    isKept: ledger.keeps,
    drainSeconds: 0,
  });
  const probations = createProbations({
    ledger,
    engine,
    proxy,
    clock: hastyClock(),
    log,
    retire: (of, replaced) => retirer.retire(of, stopping.signal, { replaced }),
    formerRoutes: () => Promise.resolve(formerRoutes),
    stopping: stopping.signal,
    tuning: tuning(own),
  });
  probations.resume();
  return {
    ...probations,
    sweep: () => retirer.sweep(stopping.signal),
    async stop() {
      stopping.abort();
      await probations.settled();
    },
  };
}

async function begun(own?: ProbationTuning) {
  const probations = await open(own);
  await probations.begin(app, young.deployId!, true);
  return probations;
}

const led = async () => (await proxy.routes()).map(({ containerId, state }) => `${state} ${nameOf(containerId)}`);
const nameOf = (id: string) => (id === young.id ? "young" : id === former.id ? "former" : "other");
const states = async () =>
  Object.fromEntries((await engine.list({ appId: app.id })).map(({ id, state }) => [nameOf(id), state]));
const stored = async () => JSON.parse(await readFile(join(directory, "probations.json"), "utf8")) as object;

/** Every request that is on its way, and every write, has had its time. */
async function nothingIsTakenBack(probations: Probations): Promise<void> {
  await expect.poll(stored, PATIENT).toMatchObject({ probations: [], takenBack: [] });
  await probations.settled();
  expect(probations.takenBack()).toEqual([]);
}

test("a container that exits within its probation is taken back: the former one serves, and why is told with the last lines", async () => {
  engine.knobs.log = [{ time: new Date(), text: "TypeError: nope" }];
  const probations = await begun();
  engine.end(young.id, 1);
  await expect.poll(() => probations.takenBack(), PATIENT).toHaveLength(1);
  expect(probations.takenBack()).toMatchObject([
    {
      app,
      deployId: young.deployId,
      servedDeployId: former.deployId,
      reason: "exited",
      exitCode: 1,
      detail: expect.stringContaining("ended with exit code 1"),
      lastLines: ["TypeError: nope"],
    },
  ]);
  expect(await led()).toEqual(["serving former"]);
  // The container is kept, for its log.
  await probations.settled();
  expect(await states()).toEqual({ former: "running", young: "exited" });
});

test("a container that ends for its memory is taken back for that, also when the engine tells so a moment later", async () => {
  const probations = await begun();
  engine.end(young.id, 137);
  await vi.waitFor(() => engine.exhaustMemory(young.id));
  await expect.poll(() => probations.takenBack(), PATIENT).toHaveLength(1);
  expect(probations.takenBack()).toMatchObject([{ reason: "out_of_memory", exitCode: 137 }]);
  expect(probations.takenBack()[0]!.detail).toContain("64 MiB of memory");
});

test.each(["broken", "silent"] as const)("a container whose requests are all %s is taken back", async (answer) => {
  const probations = await begun({ ask: () => Promise.resolve(answer) });
  await expect.poll(() => probations.takenBack(), PATIENT).toHaveLength(1);
  expect(probations.takenBack()).toMatchObject([{ reason: "not_answering" }]);
  expect(probations.takenBack()[0]).not.toHaveProperty("exitCode");
  expect(await led()).toEqual(["serving former"]);
  // It would answer nobody for ever.
  await expect.poll(states, PATIENT).toEqual({ former: "running", young: "exited" });
});

test("a container that was taken back ends although the engine, or the agent, went meanwhile", async () => {
  const { stop } = engine;
  let failures = 0;
  engine.stop = () => (failures++, Promise.reject(new SvcError("engine_unavailable", "It is gone.")));
  const first = await begun({ ask: () => Promise.resolve("broken") });
  await expect.poll(() => failures, PATIENT).toBeGreaterThan(1);
  await first.stop();
  expect(await states()).toEqual({ former: "running", young: "running" });
  engine.stop = stop;
  await open();
  await expect.poll(states, PATIENT).toEqual({ former: "running", young: "exited" });
});

test("a container whose requests are broken for a moment is left alone", async () => {
  let asked = 0;
  const ask = () => Promise.resolve(++asked === 1 ? ("broken" as const) : ("answered" as const));
  // On a busy machine a request and the next one may be far apart: a moment is a tenth of a second, and there are ten.
  const probations = await begun({ ms: 20_000, patience: { brokenMs: 2_000, silentMs: 200 }, ask });
  await nothingIsTakenBack(probations);
  expect(asked).toBeGreaterThan(1);
  expect(await led()).toEqual(["serving young"]);
});

test("a probation that is passed ends with the removal of the former container, which was ready until then", async () => {
  const probations = await begun({ ms: 300 });
  expect(await states()).toEqual({ former: "running", young: "running" });
  await nothingIsTakenBack(probations);
  await expect.poll(states, PATIENT).toEqual({ young: "running" });
});

test("a container that ends after its probation is not taken back", async () => {
  const probations = await begun({ ms: 50 });
  await vi.waitFor(() => expect(Date.now() - young.startedAt!.getTime()).toBeGreaterThan(200), PATIENT);
  engine.end(young.id, 1);
  await nothingIsTakenBack(probations);
  expect(await led()).toEqual(["serving young"]);
});

test("the former container goes in the end when the deploy that replaced it does not hold the lock any more", async () => {
  busyDeployId = young.deployId;
  const probations = await begun({ ms: 50 });
  await nothingIsTakenBack(probations);
  // The deploy may be undone yet.
  expect(await states()).toEqual({ former: "running", young: "running" });
});

test("a decision of a person ends the probation: nothing is taken back, and the former container goes", async () => {
  const probations = await begun();
  await probations.end(app);
  engine.end(young.id, 1);
  await nothingIsTakenBack(probations);
  expect(await led()).toEqual(["serving young"]);
  await expect.poll(states, PATIENT).toEqual({ young: "exited" });
});

test("the former container goes although the next deploy of the app has begun", async () => {
  const probations = await begun();
  const next = await run();
  busyDeployId = next.deployId;
  await probations.end(app);
  await expect.poll(states, PATIENT).toEqual({ young: "running", other: "running" });
});

test("an app that was stopped, or led elsewhere, before its container is seen to have ended keeps what a person decided", async () => {
  const probations = await begun();
  await proxy.updateRoutes(app.id, (routes) => routes.map((route) => ({ ...route, state: "stopped" })));
  engine.end(young.id, 143);
  await nothingIsTakenBack(probations);
  expect(await led()).toEqual(["stopped young"]);
});

test("nothing is taken back while the former container can't serve", async () => {
  const probations = await begun();
  await engine.remove(former.id);
  engine.end(young.id, 1);
  await nothingIsTakenBack(probations);
  expect(await led()).toEqual(["serving young"]);
});

test("a former container that the engine has left stopped is started to serve again", async () => {
  const probations = await begun();
  await engine.stop(former.id, 0);
  engine.end(young.id, 1);
  await expect.poll(() => probations.takenBack(), PATIENT).toHaveLength(1);
  expect(await led()).toEqual(["serving former"]);
  expect((await states())["former"]).toBe("running");
});

test("a container that somebody stops, or an engine that ends properly, is not at fault, also while it ends", async () => {
  const probations = await begun({ ask: () => Promise.resolve("broken") });
  await engine.stop(young.id, 10);
  await nothingIsTakenBack(probations);
  expect(await led()).toEqual(["serving young"]);
});

test("an engine that died is not the app's fault: the watch ends with it", async () => {
  const { containerEvents } = engine;
  const dying = new AbortController();
  let asked = 0;
  engine.containerEvents = async function* (options) {
    asked += 1;
    if (asked > 1) {
      // The engine that was started anew knows of no start before it.
      for await (const event of containerEvents(options)) if (event.kind !== "started") yield event;
      return;
    }
    yield* containerEvents({ ...options, signal: AbortSignal.any([options.signal, dying.signal]) });
  };
  const probations = await begun();
  await vi.waitFor(() => expect(asked).toBe(1), PATIENT);
  dying.abort();
  // The stream has ended by then.
  await setImmediate();
  engine.end(young.id, 255);
  await nothingIsTakenBack(probations);
  expect(asked).toBeGreaterThan(1);
  expect(await led()).toEqual(["serving young"]);
});

test("an agent that is killed goes on: it takes back what ended meanwhile, and tells until that is confirmed", async () => {
  await (await begun()).stop();
  engine.end(young.id, 3);
  const second = await open();
  await expect.poll(() => second.takenBack(), PATIENT).toHaveLength(1);
  expect(await led()).toEqual(["serving former"]);
  await second.stop();
  const third = await open();
  expect(third.takenBack()).toMatchObject([{ deployId: young.deployId, exitCode: 3 }]);
  await third.confirm(young.deployId!);
  await third.confirm(young.deployId!);
  expect(third.takenBack()).toEqual([]);
  expect((await open()).takenBack()).toEqual([]);
});

test("an agent that is killed between its decision and the switch finishes it, wherever it was killed", async () => {
  const first = await begun();
  const { updateRoutes } = proxy;
  let writes = 0;
  proxy.updateRoutes = async (...change) => {
    writes += 1;
    // The table is written, and its writer dies.
    await updateRoutes(...change);
    throw new Error("killed");
  };
  engine.end(young.id, 1);
  await vi.waitFor(() => expect(writes).toBe(1), PATIENT);
  await first.stop();
  proxy.updateRoutes = updateRoutes;
  const second = await open();
  await expect.poll(() => second.takenBack(), PATIENT).toHaveLength(1);
  expect(await led()).toEqual(["serving former"]);
});

test("containers that a probation keeps are no strays: the former one, and until the next deploy the one that was taken back", async () => {
  const probations = await begun();
  await probations.sweep();
  expect(await states()).toEqual({ former: "running", young: "running" });
  engine.end(young.id, 1);
  await expect.poll(() => probations.takenBack(), PATIENT).toHaveLength(1);
  await probations.sweep();
  expect(await states()).toEqual({ former: "running", young: "exited" });
  const next = await run();
  await lead(next);
  await probations.begin(app, next.deployId!, false);
  await probations.sweep();
  expect(await states()).toEqual({ other: "running" });
});

test("a first deploy, and one that is not watched, have no probation", async () => {
  const probations = await open();
  await probations.begin(app, young.deployId!, false);
  expect(await stored()).toEqual({ probations: [], takenBack: [], kept: [] });
  formerRoutes = [];
  await probations.begin(app, young.deployId!, true);
  expect(await stored()).toMatchObject({ probations: [] });
});
