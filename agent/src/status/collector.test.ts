import { expect, test } from "vitest";
import { systemClock } from "@svc/shared/clock.ts";
import { Health } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/ids.ts";
import { createDummyEngine } from "../dummy/engine.ts";
import { createDummyHost } from "../dummy/host.ts";
import { createDummyProxy } from "../dummy/proxy.ts";
import type { ContainerSpec } from "../ports.ts";
import { Changes } from "./changes.ts";
import { StatusCollector } from "./collector.ts";
import { LastErrors } from "./last-errors.ts";
import { watchStatus } from "./watch.ts";

function setUp() {
  const [engine, proxy] = [createDummyEngine(), createDummyProxy()];
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  const changes = new Changes();
  const lastErrors = new LastErrors(clock, () => changes.notify());
  const collector = new StatusCollector({
    version: "1.2.3",
    engine,
    proxy,
    host: createDummyHost(),
    dataDirectory: "/",
    clock,
    lastErrors,
    heldLocks: () => [],
    runningStep: () => undefined,
  });
  return { engine, proxy, collector, changes, lastErrors, later: (ms: number) => (aheadMs += ms) };
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
  const { engine, proxy, collector, later } = setUp();
  const [app, deployId] = [{ id: newId(), name: "shop" }, newId()];
  const spec: ContainerSpec = {
    app,
    role: "app",
    deployId,
    release: "v1",
    image: engine.addImage(app.id, deployId),
    env: {},
    port: 3000,
    memoryBytes: 1,
    cpuMillis: 1,
    aliases: [],
    volumes: {},
    capabilities: [],
  };
  const { id: containerId } = await engine.run(spec);
  expect((await collector.collect()).apps).toEqual([]);
  // The discard port of loopback: nothing listens there.
  const route = { host: "shop.test", appId: app.id, containerId, upstream: "127.0.0.1:9", state: "serving" } as const;
  await proxy.setRoutes(app.id, [route]);
  later(1000);
  const [listed] = (await collector.collect()).apps;
  expect(listed).toMatchObject({ app, deployId, release: "v1", containerId, health: Health.NOT_SERVING });
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
