import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import { createDummyHost, type DummyHost } from "../dummy/host.ts";
import { keepLogStore } from "./keep-log-store.ts";
import { LogStore } from "./log-store.ts";

const START = Date.parse("2026-01-31T12:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
let directory: string;
let engine: DummyEngine;
let host: DummyHost;
let now: Date;

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), "svc-keep-log-store-"));
  engine = createDummyEngine();
  host = createDummyHost();
  now = new Date(START);
});
afterEach(() => fs.rm(directory, { recursive: true }));

const open = (): LogStore =>
  new LogStore({ directory, engine, clock: { now: () => now, sleep: () => Promise.resolve() }, tuning: SMALL });
/** Each round's lines are closed at once. */
const SMALL = { segmentBytesMax: 1 };

async function run(appId = newId()) {
  const app = { id: appId, name: "shop", ownerId: appId };
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const limits = { port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  return engine.run({ app, role: "app", deployId, release: "v1", image, env: {}, ...limits });
}

/** Collects once and prunes once. */
async function round(store: LogStore): Promise<void> {
  const stopping = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let rests = 0;
  const clock: Clock = {
    now: () => now,
    sleep: () => {
      rests += 1;
      if (rests === 2) resolve();
      return promise;
    },
  };
  await Promise.all([
    keepLogStore({ store, engine, host, directory, clock, log }, stopping.signal),
    promise.then(() => stopping.abort()),
  ]);
}

test.for(["null", "[]", "a directory"])("an app whose state is %s keeps no other app's old lines", async (state) => {
  const store = open();
  const [broken, other] = [await run(), await run()];
  engine.knobs.log.push({ time: now, text: "old" });
  for (const container of [broken, other]) await store.collect(container.appId, [container]);
  const path = join(directory, broken.appId, "state.json");
  await fs.rm(path);
  if (state === "a directory") await fs.mkdir(path);
  else await fs.writeFile(path, state);
  for (const container of [broken, other]) await engine.remove(container.id);
  now = new Date(START + 8 * DAY_MS);
  const again = open();
  await round(again);
  expect(await again.segments(other.appId)).toEqual([]);
  if (state !== "a directory") expect(await again.segments(broken.appId)).toEqual([]);
});

test("lines that a wrong clock has stamped with a time to come go seven days after their segment was closed", async () => {
  const container = await run();
  const store = open();
  now = new Date();
  engine.knobs.log.push({ time: new Date(now.getTime() + 365 * DAY_MS), text: "to come" });
  await round(store);
  await round(store);
  expect(await store.segments(container.appId)).toHaveLength(1);
  now = new Date(now.getTime() + 8 * DAY_MS);
  await round(store);
  expect(await store.segments(container.appId)).toEqual([]);
});
