import { setInterval } from "node:timers/promises";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AppNotice } from "./app-notice.ts";
import { createDummyEngine, type DummyEngine } from "../../dummy/engine.ts";
import type { ContainerState, LogLine } from "../../ports.ts";
import { AppNotices } from "./app-notices.ts";
import { readNoticedLogs } from "./noticed-logs.ts";

let engine: DummyEngine;
let notices: AppNotices;
let container: ContainerState;
let ending: AbortController;

beforeEach(async () => {
  [engine, notices, ending] = [createDummyEngine(), new AppNotices(), new AbortController()];
  const [app, deployId] = [{ id: newId(), name: "shop" }, newId()];
  const rest = { env: {}, port: 1, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  const image = engine.addImage(app.id, deployId);
  container = await engine.run({ app, role: "app", deployId, release: "v1", image, ...rest });
});
afterEach(() => ending.abort());

const line = (second: number): LogLine => ({ time: new Date(second * 1000), text: `line at ${second}` });

function addNotice(second: number, kind: AppNotice["kind"] = "out_of_memory"): void {
  const { id: containerId, appId, appName, role } = container;
  notices.add({ containerId, appId, appName, role, kind, time: new Date(second * 1000), text: `notice at ${second}` });
}

function read(options: { lines: number; follow: boolean }): AsyncGenerator<LogLine[]> {
  return readNoticedLogs({ engine, notices }, container, { ...options, signal: ending.signal });
}

async function textsOf(batches: AsyncIterable<LogLine[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of batches) all.push(...batch.map(({ text }) => text));
  return all;
}

/** Time between two lines, shorter than the silence that ends a log's history. */
const PACE_MS = 20;
const MERGED = ["line at 1", "[platform] notice at 2", "line at 3", "[platform] notice at 4"];

test("notices stand among the lines where they belong by time", async () => {
  engine.knobs.log = [line(1), line(3)];
  [2, 4].forEach((second) => addNotice(second));
  expect(await textsOf(read({ lines: 10, follow: false }))).toEqual(MERGED);
});

test("an app that wrote nothing has its notices for a log", async () => {
  addNotice(2);
  expect(await textsOf(read({ lines: 10, follow: false }))).toEqual(["[platform] notice at 2"]);
});

test.each([false, true])("a tail of two holds the newest two of lines and notices (followed: %s)", async (follow) => {
  engine.knobs.log = [line(1), line(3)];
  [2, 4].forEach((second) => addNotice(second));
  const reading = read({ lines: 2, follow });
  const { value } = await reading.next();
  expect((value as LogLine[]).map(({ text }) => text)).toEqual(MERGED.slice(-2));
});

test("a long log with notices comes in messages of a bounded size", async () => {
  engine.knobs.log = Array.from({ length: 200 }, (_, second) => line(second));
  addNotice(100);
  const sizes: number[] = [];
  for await (const batch of read({ lines: 200, follow: false })) sizes.push(batch.length);
  expect(sizes).toEqual([50, 50, 50, 50]);
});

test("a follower of a log has its history first and then each notice as it comes", async () => {
  engine.knobs.log = [line(1), line(3)];
  [2, 4].forEach((second) => addNotice(second));
  const following = read({ lines: 10, follow: true });
  expect(((await following.next()).value as LogLine[]).map(({ text }) => text)).toEqual(MERGED);
  const next = following.next();
  addNotice(5);
  expect((await next).value).toMatchObject([{ text: "[platform] notice at 5" }]);
  ending.abort();
  expect((await following.next()).done).toBe(true);
});

test("a follower of a log that is written all the time gets its history all the same", async () => {
  engine.logs = async function* () {
    for await (const second of setInterval(PACE_MS, 2)) yield [line(second)];
  };
  addNotice(1);
  const [first] = (await read({ lines: 500, follow: true }).next()).value as LogLine[];
  expect(first?.text).toBe("[platform] notice at 1");
}, 3000);

test("a follower of a log is told of the container's end, although the log ends first", async () => {
  const written = Promise.withResolvers<void>();
  engine.logs = async function* () {
    yield [line(1)];
    await written.promise;
  };
  const following = read({ lines: 10, follow: true });
  expect((await following.next()).value).toEqual([line(1)]);
  const next = following.next();
  written.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  addNotice(2, "ended");
  expect((await next).value).toMatchObject([{ text: "[platform] notice at 2" }]);
  expect((await following.next()).done).toBe(true);
});

test("a log that breaks is told to who follows it, also after notices", async () => {
  addNotice(1);
  engine.logs = async function* () {
    yield [line(2)];
    throw new Error("the engine went away");
  };
  await expect(textsOf(read({ lines: 10, follow: true }))).rejects.toThrow("the engine went away");
});
