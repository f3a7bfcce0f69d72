import { mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { AppNotices } from "./app-notices.ts";
import { createDummyEngine, type DummyEngine } from "../../dummy/engine.ts";
import type { ContainerState, Engine, LogLine } from "../../ports.ts";
import { FORMER_BYTES_MAX, FORMER_CONTAINERS_MAX, FORMER_LINES_MAX, FormerLogs } from "./former-logs.ts";
import { keepLogsOnRemoval } from "./keep-on-removal.ts";

const app = { id: newId(), name: "shop", ownerId: newId() };
let directory: string;
let logs: FormerLogs;
let dummy: DummyEngine;
let engine: Engine;
const storeRest = () => Promise.resolve(0);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-former-"));
  logs = new FormerLogs(directory);
  dummy = createDummyEngine();
  engine = keepLogsOnRemoval({
    engine: dummy,
    notices: new AppNotices(),
    formerLogs: logs,
    storeRest,
    log: silentLogger,
  });
});
afterEach(() => rm(directory, { recursive: true }));

function run(deployId = newId(), release = "v1"): Promise<ContainerState> {
  return engine.run({
    app,
    role: "app",
    deployId,
    release,
    image: dummy.addImage(app.id, deployId),
    env: {},
    port: 3000,
    memoryBytes: 1,
    cpuMillis: 1,
    aliases: [],
    volumes: {},
    capabilities: [],
  });
}

function write(...texts: string[]): void {
  dummy.knobs.log = texts.map((text, i) => ({ time: new Date(i), text }));
}

const textsOf = async (of: { deployId: string } | { release: string }, lines = FORMER_LINES_MAX) =>
  (await logs.read(app.id, of, lines))?.map(({ text }) => text);

test.each(["a/../b ".repeat(18), "😀".repeat(128)])(
  "the log of a container is kept when it is removed, that of %j too",
  async (release) => {
    write("first", "last");
    const { id, deployId } = await run(newId(), release);
    await engine.remove(id);
    expect(await textsOf({ release })).toEqual(["first", "last"]);
    expect(await textsOf({ deployId: deployId! }, 1)).toEqual(["last"]);
    expect((await readdir(directory)).length).toBe(1);
  },
);

test("what is kept says which output wrote a line, and which one the platform", async () => {
  const time = new Date(0);
  const lines: LogLine[] = [
    { time, text: "a", output: "stdout" },
    { time, text: "b /stdout", output: "stderr" },
  ];
  dummy.knobs.log = [...lines, { time, text: "c" }];
  const { id, deployId } = await run();
  await engine.remove(id);
  expect(await logs.read(app.id, { deployId: deployId! }, 500)).toEqual([...lines, { time, text: "c" }]);
});

test("the last lines of a container are kept within their bytes, and the newest containers of an app", async () => {
  write(...Array.from({ length: FORMER_LINES_MAX + 1 }, (_, i) => `${i}`));
  const short = await run();
  await engine.remove(short.id);
  expect(await textsOf({ deployId: short.deployId! })).toHaveLength(FORMER_LINES_MAX);

  write(...Array.from({ length: 100 }, (_, i) => `${i} ${"x".repeat(16 * 1024)}`));
  const long = await run();
  await engine.remove(long.id);
  const kept = await textsOf({ deployId: long.deployId! });
  expect(kept!.at(-1)).toMatch(/^99 /);
  const bytes = await Promise.all(
    (await readdir(join(directory, app.id))).map(async (name) => (await stat(join(directory, app.id, name))).size),
  );
  expect(Math.max(...bytes)).toBeLessThanOrEqual(FORMER_BYTES_MAX);

  write("small");
  for (let i = 0; i < FORMER_CONTAINERS_MAX; i++) {
    const { id } = await run();
    await engine.remove(id);
  }
  expect(await readdir(join(directory, app.id))).toHaveLength(FORMER_CONTAINERS_MAX);
  expect(await textsOf({ deployId: short.deployId! })).toBeUndefined();
});

test("a log that can't be read or written never holds up a removal", async () => {
  const { id } = await run();
  dummy.logs = () => {
    throw new Error("the engine hangs");
  };
  await engine.remove(id);
  expect(await engine.list({})).toEqual([]);
  expect(await textsOf({ release: "v1" })).toBeUndefined();
});

test("the kept logs of an app count as part of its disk space", async () => {
  write("kept");
  const { id } = await run();
  dummy.knobs.storage = () => [`/layers/${id}`];
  const pathsOf = async () => (await engine.storage()).flatMap(({ paths }) => paths);
  const before = await pathsOf();
  const former = await run();
  await engine.remove(former.id);
  expect((await pathsOf()).filter((path) => !before.includes(path))).toEqual([join(directory, app.id)]);
});

test("logs are forgotten after their time, and with their app", async () => {
  write("old");
  const old = await run();
  await engine.remove(old.id);
  const [name] = await readdir(join(directory, app.id));
  const now = new Date();
  const before = new Date(now.getTime() - 15 * 24 * 60 * 60_000);
  await utimes(join(directory, app.id, name!), before, before);
  write("new");
  const young = await run();
  await engine.remove(young.id);
  await logs.prune(now);
  expect(await textsOf({ deployId: old.deployId! })).toBeUndefined();
  expect(await textsOf({ deployId: young.deployId! })).toEqual(["new"]);
  await logs.remove(app.id);
  await logs.remove(app.id);
  expect(await readdir(directory)).toEqual([]);
});
