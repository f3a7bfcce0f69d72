import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDummyEngine } from "../dummy/engine.ts";
import type { ContainerRole, ContainerState } from "../ports.ts";
import { LastErrors } from "../host/last-errors.ts";
import { AppNotices } from "../engine/logs/app-notices.ts";
import { watchContainers } from "./watch-containers.ts";

const MIB = 1024 ** 2;

let stop: AbortController;
let world: ReturnType<typeof setUp>;
let watched: Promise<void> | undefined;

beforeEach(() => {
  stop = new AbortController();
  world = setUp();
});
afterEach(async () => {
  stop.abort();
  await watched;
});

/** Time passes, and each pause of the watch ends, when the test says so. */
function setUp() {
  const engine = createDummyEngine();
  const notices = new AppNotices();
  let aheadMs = 0;
  const pauses: (() => void)[] = [];
  const clock = {
    now: () => new Date(Date.now() + aheadMs),
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        pauses.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  const lastErrors = new LastErrors(systemClock, () => undefined);
  const report = lastErrors.record.bind(lastErrors);
  const onEventsEnd = vi.fn();
  const ends: boolean[] = [];
  const onEnd = (_container: unknown, forMemory: boolean): void => void ends.push(forMemory);
  return {
    engine,
    notices,
    onEventsEnd,
    errors: () => lastErrors.list().map(({ code, message }) => [code, message]),
    /** Each end of an app's container: whether it was for its memory. */
    ends,
    start: () => (watched = watchContainers({ engine, notices, onEnd, onEventsEnd, clock, log, report }, stop.signal)),
    /** Lets so much time pass, and then everything that pauses go on. */
    async pass(ms: number): Promise<void> {
      await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(0));
      aheadMs += ms;
      for (const resume of pauses.splice(0)) resume();
      await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(0));
    },
  };
}

async function run(name: string, role: ContainerRole = "app"): Promise<ContainerState> {
  const { engine } = world;
  const [app, deployId] = [{ id: newId(), name }, newId()];
  const image = engine.addImage(app.id, deployId);
  const rest = { env: {}, port: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  return engine.run({ app, role, deployId, release: "v1", image, memoryBytes: 512 * MIB, ...rest });
}

const noticesOf = ({ appId, id: containerId }: ContainerState): string[] =>
  world.notices.of({ appId, containerId }).map(({ text }) => text);

const KILLED = "The app reached its memory limit of 512 MiB; the kernel ended a process of it.";
const ENDED = "The app ended with exit code 143.";

test("a kill for memory that the engine tells of three times is one notice and one error, with the app's name", async () => {
  const container = await run("greedy");
  world.start();
  for (let time = 0; time < 3; time += 1) world.engine.exhaustMemory(container.id);
  await world.engine.stop(container.id, 0);
  await vi.waitFor(() => expect(noticesOf(container)).toEqual([KILLED, ENDED]));
  const message = "The app greedy reached its memory limit of 512 MiB; the kernel ended a process of it.";
  expect(world.errors()).toEqual([["out_of_memory", message]]);
});

test("an app that is killed again and again takes one place among the server's errors, which says how often", async () => {
  const [container, other] = [await run("greedy"), await run("other")];
  world.start();
  world.engine.exhaustMemory(other.id);
  for (let time = 0; time < 30; time += 1) {
    world.engine.exhaustMemory(container.id);
    await world.engine.stop(container.id, 0);
    await world.engine.start(container.id);
  }
  await vi.waitFor(() => expect(noticesOf(container)).toHaveLength(50));
  await vi.waitFor(() => expect(world.errors()[0]![1]).toMatch(/greedy.*\(30 times in the last minute\)\.$/));
  expect(world.errors()).toHaveLength(2);
  expect(world.errors()[1]![1]).toContain("The app other");
});

test("an app that the engine starts again finds how often in its log, and one that was stopped does not", async () => {
  const container = await run("shop");
  world.start();
  world.engine.crash(container.id, 1);
  await vi.waitFor(() => expect(noticesOf(container)).toHaveLength(1));
  world.engine.crash(container.id, 2);
  await vi.waitFor(() => expect(noticesOf(container)).toHaveLength(2));
  await world.engine.stop(container.id, 0);
  await vi.waitFor(() =>
    expect(noticesOf(container)).toEqual([
      "The app ended with exit code 1 and is started again (restart 1).",
      "The app ended with exit code 2 and is started again (restart 2).",
      ENDED,
    ]),
  );
});

test("an end that follows a kill for memory counts as one for memory, and no end of a database counts as its app's", async () => {
  const [app, database] = [await run("shop"), await run("shop", "database")];
  world.start();
  world.engine.crash(app.id, 1);
  world.engine.exhaustMemory(app.id);
  world.engine.crash(app.id, 137);
  world.engine.crash(app.id, 1);
  world.engine.crash(database.id, 1);
  await vi.waitFor(() => expect([noticesOf(app).length, noticesOf(database).length]).toEqual([4, 1]));
  expect(world.ends).toEqual([false, true, false]);
});

test("a database that is killed is told apart from its app", async () => {
  const container = await run("shop", "database");
  world.start();
  world.engine.exhaustMemory(container.id);
  await vi.waitFor(() => expect(noticesOf(container)[0]).toMatch(/^The app's database reached its memory limit/));
  expect(world.errors()[0]![1]).toMatch(/^The database of the app shop reached/);
});

test("the end of the events is told at once, and they go on where they broke off when the engine comes back", async () => {
  const container = await run("shop");
  const asked: Date[] = [];
  const { containerEvents } = world.engine;
  const connection = new AbortController();
  world.engine.containerEvents = async function* ({ since, signal }) {
    asked.push(since);
    if (asked.length === 2) throw new Error("the engine is starting");
    yield* containerEvents({
      since,
      signal: asked.length === 1 ? AbortSignal.any([signal, connection.signal]) : signal,
    });
  };
  world.start();
  world.engine.exhaustMemory(container.id);
  await vi.waitFor(() => expect(noticesOf(container)).toEqual([KILLED]));
  expect(world.onEventsEnd).not.toHaveBeenCalled();
  connection.abort();
  await vi.waitFor(() => expect(world.onEventsEnd).toHaveBeenCalledTimes(1));
  const { time } = world.notices.of({ appId: container.appId, containerId: container.id })[0]!;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(time.getTime()));
  // While nobody listens.
  await world.engine.stop(container.id, 0);
  await vi.waitFor(async () => {
    await world.pass(1000);
    expect(noticesOf(container)).toEqual([KILLED, ENDED]);
  });
  expect(asked.slice(1).map(Number)).toEqual(asked.slice(1).map(() => time.getTime() + 1));
});

test("refused processes are reported once a minute while they grow, without those from before the agent's start", async () => {
  const container = await run("forks");
  let count = 100;
  world.engine.knobs.processRefusals = () => count;
  world.start();
  await world.pass(5000);
  expect(noticesOf(container)).toEqual([]);
  const told = "The app reached its limit of 512 processes and threads; it can start no more of them.";
  for (let look = 0; look < 5; look += 1) {
    count += 10;
    await world.pass(5000);
  }
  expect(noticesOf(container)).toEqual([told]);
  await world.pass(60_000);
  expect(noticesOf(container)).toEqual([told]);
  count += 1;
  await world.pass(5000);
  expect(noticesOf(container)).toEqual([told, told]);
  expect(world.errors()).toEqual([["process_limit", told.replace("The app", "The app forks")]]);
});

test("a container that was started again is counted from nothing, and a new one from its start", async () => {
  const container = await run("forks");
  const counts = new Map([[container.id, 100]]);
  world.engine.knobs.processRefusals = (id) => counts.get(id) ?? 0;
  world.start();
  await world.pass(5000);
  counts.set(container.id, 3);
  const added = await run("new");
  counts.set(added.id, 1);
  await world.pass(5000);
  expect([noticesOf(container).length, noticesOf(added).length]).toEqual([1, 1]);
});

test("an engine that does not answer is looked at again", async () => {
  const container = await run("forks");
  world.engine.knobs.down = true;
  world.start();
  await world.pass(5000);
  world.engine.knobs.down = false;
  await world.pass(5000);
  world.engine.knobs.processRefusals = () => 1;
  await world.pass(5000);
  expect(noticesOf(container)).toHaveLength(1);
});
