import { rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Redactor } from "@svc/shared/redaction/redact.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { LINE_BYTES_MAX } from "@svc/shared/rules/log-line.ts";
import { parseLogQuery } from "@svc/shared/rules/log-query/log-query.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import type { ContainerState, LogLine } from "../ports.ts";
import { KEEP_DAYS } from "./bounds.ts";
import type { AppStoreTuning } from "./app-store.ts";
import { LogStore } from "./log-store.ts";
import { ROUND_LINES_MAX } from "./read-container.ts";
import type { LogFindings } from "./search.ts";

const app = { id: newId(), name: "shop", ownerId: newId() };
const START = Date.parse("2026-01-31T12:00:00Z");
let directory: string;
let engine: DummyEngine;
let now: Date;

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), "svc-log-store-"));
  engine = createDummyEngine();
  now = new Date(START + 60_000);
});
afterEach(() => fs.rm(directory, { recursive: true }));

const open = (tuning: AppStoreTuning = {}) =>
  new LogStore({ directory, engine, tuning, clock: { now: () => now, sleep: () => Promise.resolve() } });

function run(env: Record<string, string> = {}): Promise<ContainerState> {
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const limits = { port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  return engine.run({ app, role: "app", deployId, release: "v1", image, env, ...limits });
}

/** Has the containers write lines, ten in a second. */
function write(...texts: string[]): LogLine[] {
  const from = engine.knobs.log.length;
  const lines = texts.map((text, i): LogLine => ({ time: new Date(START + (from + i) * 100), text, output: "stdout" }));
  engine.knobs.log.push(...lines);
  return lines;
}

const numbered = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `line ${from + i}`);

interface Wanted {
  query?: string;
  since?: number;
  until?: number;
  lines?: number;
}

function search(
  store: LogStore,
  { query = "", since = 0, until = START * 2, lines = 500 }: Wanted = {},
  redactor = new Redactor([]),
) {
  const wanted = { query: parseLogQuery(query, "lines"), since: new Date(since), until: new Date(until), lines };
  return store.search(app.id, wanted, { redactor, signal: new AbortController().signal });
}

const texts = ({ lines }: LogFindings): string[] => lines.map(({ text }) => text);

/** All that is on the disk, as text. */
async function stored(): Promise<string> {
  const names = await fs.readdir(join(directory, app.id));
  const files = names.map(async (name) => {
    const bytes = await fs.readFile(join(directory, app.id, name));
    return (name.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes).toString();
  });
  return (await Promise.all(files)).join("");
}

test("lines of containers that are gone are found by time and text, each once, by another agent too", async () => {
  const [first, second] = [await run(), await run()];
  const store = open();
  write("Card declined", "order placed");
  await store.collect(app.id, [first]);
  write("another card");
  await store.collect(app.id, [first], { isLast: true });
  engine.knobs.log = [];
  await store.collect(app.id, [second]);
  for (const each of [store, open()]) {
    expect(texts(await search(each))).toEqual(["Card declined", "order placed", "another card"]);
    expect(texts(await search(each, { query: "card" }))).toEqual(["Card declined", "another card"]);
    expect(texts(await search(each, { since: START + 100 }))).toEqual(["order placed", "another card"]);
    expect(texts(await search(each, { until: START + 100 }))).toEqual(["Card declined"]);
  }
});

test("what its owner has given a container is not on the disk, and its image's and the platform's own variables are", async () => {
  const container = await run({ TOKEN: "s3cr3t-value", PORT: "3000", SVC_APP: "shop" });
  write("token s3cr3t-value", `${"x".repeat(LINE_BYTES_MAX - 6)}s3cr3t`, "-value on shop at 3000");
  const store = open();
  await store.collect(app.id, [container]);
  expect(await stored()).not.toMatch(/s3cr3t|-value/);
  expect(texts(await search(store)).at(-1)).toMatch(/\[REDACTED\] on shop at 3000$/);
});

test("the password of a URL that a container has is not on the disk, though it is printed without the URL", async () => {
  const container = await run({
    DATABASE_URL: "postgresql://app:canary%2F4711@database:5432/app",
    CACHE_URL: "redis://:50%=canary@cache",
    PAGE_URL: "https://shop.test/page",
  });
  write("password canary/4711", "encoded canary%2F4711", "odd 50%=canary", "user app, database:5432, shop.test");
  const store = open();
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual([
    "password [REDACTED]",
    "encoded [REDACTED]",
    "odd [REDACTED]",
    "user app, database:5432, shop.test",
  ]);
  expect(await stored()).not.toContain("canary");
});

test("a line in pieces waits for its end; one that never ends is cut where no secret is", async () => {
  const container = await run({ TOKEN: "s3cr3t-value" });
  const store = open();
  write("before", `${"x".repeat(LINE_BYTES_MAX - 6)}s3cr3t`);
  now = new Date(START + 1_000);
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual(["before"]);
  now = new Date(START + 60_000);
  await store.collect(app.id, [container]);
  write("-value", "after");
  await open().collect(app.id, [container]);
  expect(await stored()).not.toMatch(/s3cr3t|-value/);
  const [, , said, after] = texts(await search(open()));
  expect([said, after]).toEqual([expect.stringContaining("The rest of a line is not kept"), "after"]);
});

test("what the engine has rotated away before it was read is said", async () => {
  const container = await run();
  const store = open();
  write(...numbered(0, 10));
  await store.collect(app.id, [container]);
  write(...numbered(10, 10));
  engine.knobs.log.splice(0, 15);
  await store.collect(app.id, [container]);
  const found = texts(await search(store));
  expect(found).toContain(
    "[platform] Lines between 2026-01-31T12:00:00.900Z and 2026-01-31T12:00:01.500Z are not kept: " +
      "the app writes more than is kept, or the server was away.",
  );
  expect(found.filter((text) => text.startsWith("line"))).toEqual([...numbered(0, 10), ...numbered(15, 5)]);
});

test("an app that floods is stored up to the round's bound, which is said, and goes on with its newest lines", async () => {
  const container = await run();
  const store = open();
  write("first");
  await store.collect(app.id, [container]);
  write(...numbered(0, ROUND_LINES_MAX + 1_000));
  expect(await store.collect(app.id, [container])).toBe(ROUND_LINES_MAX + 1);
  const { lines } = await search(store, { query: "line", lines: 1 });
  expect(lines[0]!.text).toBe(`line ${ROUND_LINES_MAX + 999}`);
  expect(texts(await search(store, { query: '"are not kept"' }))).toHaveLength(1);
});

test("a container that was cut down by bytes is read on in the next rounds, without a gap", async () => {
  const container = await run();
  const store = open();
  const long = numbered(0, 700).map((text) => `${text} ${"x".repeat(10_000)}`);
  write(...long);
  while ((await store.collect(app.id, [container])) > 0);
  const found: string[] = [];
  for (let until: Date | undefined = new Date(START * 2); until !== undefined;) {
    const findings: LogFindings = await search(store, { until: until.getTime(), lines: 200 });
    found.unshift(...texts(findings));
    until = findings.until;
  }
  expect(found).toEqual(long);
});

test("a search that has enough says where to go on, and the next one goes on without a gap or a doubled line", async () => {
  const container = await run();
  const store = open({ segmentBytesMax: 1_000 });
  write(...numbered(0, 100));
  // Ten lines of one moment.
  for (const line of engine.knobs.log.slice(40, 50)) line.time = new Date(START + 4_000);
  await store.collect(app.id, [container]);
  const found: string[][] = [];
  for (let until: Date | undefined = new Date(START * 2); until !== undefined;) {
    const findings: LogFindings = await search(store, { until: until.getTime(), lines: 15 });
    found.unshift(texts(findings));
    until = findings.until;
  }
  expect(found.flat()).toEqual(numbered(0, 100));
  expect(found.every((each) => each.length <= 15)).toBe(true);
});

test("a search finds the lines of the open segment, once, though that is closed before it is read", async () => {
  const store = open();
  const note = async (text: string, to: LogStore): Promise<void> => {
    to.note(app.id, { time: new Date(START + (text === "newer" ? 1_000 : 0)), text });
    await to.collect(app.id, []);
  };
  // The closed one has the newer line, so that it is read first.
  await note("newer", open({ segmentBytesMax: 1 }));
  await note("older", store);
  const [, opened] = await store.segments(app.id);
  const redactor = new Redactor([]);
  vi.spyOn(redactor, "text").mockImplementation((text) => {
    rmSync(opened!.path, { force: true });
    return text;
  });
  expect(texts(await search(store, {}, redactor))).toEqual(["older", "newer"]);
});

test("a line is found for seven days, though its segment goes with its last line", async () => {
  const container = await run();
  const store = open();
  write("older", "newer");
  await store.collect(app.id, [container]);
  now = new Date(START + KEEP_DAYS * 24 * 60 * 60_000 + 1);
  expect(texts(await search(store))).toEqual(["newer"]);
});

test("a segment is closed at its size or after a day, compressed, for its owner alone", async () => {
  const container = await run();
  const store = open({ segmentBytesMax: 1_000 });
  write(...numbered(0, 100));
  await store.collect(app.id, [container]);
  write("small");
  await store.collect(app.id, [container]);
  now = new Date(START + 25 * 60 * 60_000);
  await store.collect(app.id, []);
  const names = await fs.readdir(join(directory, app.id));
  expect(names.toSorted()).toEqual([
    `000000000-${START}-${START + 9_900}.log.zst`,
    `000000001-${START + 10_000}-${START + 10_000}.log.zst`,
    "state.json",
  ]);
  const modes = [directory, ...names.map((name) => join(directory, app.id, name))].slice(1);
  for (const path of modes) expect((await fs.stat(path)).mode & 0o777).toBe(0o600);
  expect((await fs.stat(join(directory, app.id))).mode & 0o777).toBe(0o700);
  expect(texts(await search(store))).toEqual([...numbered(0, 100), "small"]);
});

test("lines after the open segment was removed are whole, each once, and no byte counts that is gone", async () => {
  const container = await run();
  const store = open();
  write("removed");
  await store.collect(app.id, [container]);
  const removed = await store.segments(app.id);
  await store.removeSegments(
    app.id,
    removed.map(({ path }) => path),
  );
  expect(await store.segments(app.id)).toEqual([]);
  for (const text of ["one", "two"]) {
    write(text);
    await store.collect(app.id, [container]);
  }
  for (const each of [store, open()]) {
    expect(texts(await search(each))).toEqual(["one", "two"]);
    const [segment] = await each.segments(app.id);
    expect(segment!.bytes).toBe((await fs.stat(segment!.path)).size);
  }
});

test("a broken segment costs its broken part alone, and says so", async () => {
  const container = await run();
  const store = open({ segmentBytesMax: 1_000 });
  write(...numbered(0, 100));
  await store.collect(app.id, [container]);
  write("small");
  await store.collect(app.id, [container]);
  const path = (await store.segments(app.id))[0]!.path;
  await fs.truncate(path, 100);
  const found = texts(await search(open()));
  expect(found.at(-1)).toBe("small");
  expect(found).toContainEqual(
    expect.stringMatching(/^\[platform\] A part of the log from \S+ to \S+ can't be read\.$/),
  );
});

test("lines that lost their end with the host's power cost those lines alone", async () => {
  const container = await run();
  write(...numbered(0, 10));
  await open().collect(app.id, [container]);
  const { path, bytes } = (await open().segments(app.id))[0]!;
  await fs.truncate(path, bytes - 3);
  write("after");
  const store = open();
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual([...numbered(0, 9), "line", "after"]);
});

test("an app that was purged leaves nothing, and may be purged again", async () => {
  const container = await run();
  const store = open();
  write("line");
  await store.collect(app.id, [container]);
  await store.remove(app.id);
  await store.remove(app.id);
  expect(await fs.readdir(directory)).toEqual([]);
  expect(await search(store)).toEqual({ lines: [], until: undefined });
});

test("an app that was purged does not come back with a round that knew it, nor with what is said of it later", async () => {
  const container = await run();
  const store = open();
  await engine.remove(container.id);
  await store.remove(app.id);
  store.note(app.id, { time: new Date(START), text: "[platform] It ended." });
  await expect(store.collect(app.id, [container])).rejects.toMatchObject({ code: "not_found" });
  expect(await store.collect(app.id, [])).toBe(0);
  expect(await fs.readdir(directory)).toEqual([]);
  const next = await run();
  write("again");
  await store.collect(app.id, [next]);
  store.note(app.id, { time: new Date(START + 1_000), text: "[platform] It ended again." });
  await store.collect(app.id, []);
  expect(texts(await search(store))).toEqual(["again", "[platform] It ended again."]);
});

test("the platform's own sentences stand among the app's lines, by their time", async () => {
  const container = await run();
  const store = open();
  write("before", "after");
  store.note(app.id, { time: new Date(START + 50), text: "[platform] It ended." });
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual(["before", "[platform] It ended.", "after"]);
});

test("a sentence of the platform that comes while the log is read is stored with the next lines", async () => {
  const container = await run();
  const store = open();
  const note = (text: string): void => store.note(app.id, { time: new Date(START), text });
  note("[platform] First.");
  vi.spyOn(engine, "linesSince").mockImplementationOnce(async function* () {
    note("[platform] Second.");
    yield* [];
  });
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual(["[platform] First."]);
  await store.collect(app.id, [container]);
  expect(texts(await search(store))).toEqual(["[platform] First.", "[platform] Second."]);
});
