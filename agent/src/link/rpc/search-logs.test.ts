import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LogSource, SearchLogsRequestSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { createDummyEngine, type DummyEngine } from "../../dummy/engine.ts";
import { AppLogs } from "../../edge/access-log/app-logs.ts";
import type { LogLine } from "../../ports.ts";
import { LogStore } from "../../log-store/log-store.ts";
import { searchLogs } from "./search-logs.ts";

const app = { id: newId(), name: "shop", ownerId: newId() };
const TIME = new Date("2026-01-31T12:00:00Z");
const SECRETS = ["s3cr3t-token"];
let directory: string;
let engine: DummyEngine;
let now: Date;
let accessLogs: AppLogs;
let logStore: LogStore;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-search-logs-"));
  engine = createDummyEngine();
  now = TIME;
  accessLogs = new AppLogs(join(directory, "access"));
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  logStore = new LogStore({ directory: join(directory, "store"), engine, clock });
});
afterEach(() => rm(directory, { recursive: true }));

function run() {
  const deployId = newId();
  const image = engine.addImage(app.id, deployId);
  const limits = { port: 3000, memoryBytes: 1, cpuMillis: 1, aliases: [], volumes: {}, capabilities: [] };
  return engine.run({ app, role: "app", deployId, release: "v1", image, env: {}, ...limits });
}

async function search(source: LogSource, query: string, signal = new AbortController().signal) {
  const [since, until] = [timestampFromDate(new Date(0)), timestampFromDate(new Date(TIME.getTime() + 1))];
  const request = create(SearchLogsRequestSchema, { app, source, query, since, until, lines: 500, secrets: SECRETS });
  const texts: string[] = [];
  for await (const part of searchLogs(request, { logStore, accessLogs }, signal)) {
    for (const { text = "" } of part.lines ?? []) texts.push(text);
  }
  return texts;
}

const request = (path: string) => `203.0.113.7 shop.test "GET ${path} HTTP/2.0" 200 5 B 1 ms`;
const sources = [
  { name: "the container", source: LogSource.CONTAINER, line: (text: string) => `took ${text}` },
  { name: "requests", source: LogSource.ACCESS, line: (text: string) => request(`/hook/${text}`) },
];

test.for(sources)("a search of $name tells no letter of a secret, and answers redacted", async ({ source, line }) => {
  await run();
  engine.knobs.log.push({ time: TIME, text: line("s3cr3t-token") }, { time: TIME, text: line("other") });
  accessLogs.append(app.id, engine.knobs.log);
  const all = [line("[REDACTED]"), line("other")];
  expect(await search(source, "")).toEqual(all);
  for (const part of ["s3cr3t-token", "s3", "oken"]) {
    expect(await search(source, part)).toEqual([]);
    expect(await search(source, `-${part}`)).toEqual(all);
  }
  expect(await search(source, "other")).toEqual([line("other")]);
});

test("the path of a request is matched without its secrets", async () => {
  accessLogs.append(app.id, [{ time: TIME, text: request("/hook/s3cr3t-token") }]);
  for (const query of ["path:/hook/s*", "path:/*oken"]) expect(await search(LogSource.ACCESS, query)).toEqual([]);
  expect(await search(LogSource.ACCESS, "path:/hook/*")).toEqual([request("/hook/[REDACTED]")]);
  expect(await search(LogSource.ACCESS, "-path:/hook/s*")).toEqual([request("/hook/[REDACTED]")]);
});

test("searches of an app take turns: one beyond four is refused, and the engine is asked once for all", async () => {
  await run();
  engine.knobs.log.push({ time: TIME, text: "line" });
  const asked = vi.spyOn(engine, "list");
  const found = await Promise.allSettled(Array.from({ length: 5 }, () => search(LogSource.CONTAINER, "")));
  expect(found.map(({ status }) => status)).toEqual([...Array<string>(4).fill("fulfilled"), "rejected"]);
  expect((found[4] as PromiseRejectedResult).reason).toMatchObject({ code: "too_many_streams" });
  expect(asked).toHaveBeenCalledTimes(1);
});

test("requests are found once each though the log is rolled during the search", async () => {
  const filling = Array.from({ length: 3_000 }, (): LogLine => ({ time: TIME, text: `rolls ${"x".repeat(1_000)}` }));
  const append = (text: string, ms: number): void => {
    accessLogs.append(app.id, [{ time: new Date(TIME.getTime() - 60_000 + ms), text }, ...filling]);
  };
  append("one", 1);
  append("two", 2);
  const listed = vi.spyOn(accessLogs, "open").mockImplementation(function (this: AppLogs, id: string) {
    listed.mockRestore();
    const files = this.open(id);
    append("three", 3);
    return files;
  });
  expect(await search(LogSource.ACCESS, "-rolls")).toEqual(["one", "two"]);
});

test("a search whose caller has gone while its app is read ends with it", async () => {
  await run();
  const gone = new AbortController();
  let wasTold = false;
  vi.spyOn(engine, "linesSince").mockImplementation(async function* (_id, { signal }) {
    gone.abort(new Error("gone"));
    wasTold = signal.aborted;
    yield* [];
  });
  await expect(search(LogSource.CONTAINER, "", gone.signal)).rejects.toThrow("gone");
  expect(wasTold).toBe(true);
});

test("a search reads what was written since the last round, unless that was moments ago or the disk is short", async () => {
  await run();
  const found: number[] = [];
  const step = async (text: string, seconds: number) => {
    engine.knobs.log.push({ time: new Date(TIME.getTime() - 60_000), text });
    now = new Date(now.getTime() + seconds * 1000);
    found.push((await search(LogSource.CONTAINER, "")).length);
  };
  await step("first", 0);
  await step("second", 1);
  await step("third", 5);
  logStore.isPaused = true;
  await step("fourth", 5);
  expect(found).toEqual([1, 1, 3, 3]);
});
