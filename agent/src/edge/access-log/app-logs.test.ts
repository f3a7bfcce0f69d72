import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { LogLine } from "../../ports.ts";
import { AppLogs } from "./app-logs.ts";

let directory: string;
let logs: AppLogs;
const app = newId();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "svc-access-"));
  logs = new AppLogs(directory);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const line = (text: string): LogLine => ({ time: new Date(1_700_000_000_000), text });

async function end(lines: number, of = app): Promise<string[]> {
  const all: LogLine[] = [];
  for await (const batch of logs.read(of, { lines, follow: false, signal: new AbortController().signal })) {
    all.push(...batch.lines);
  }
  return all.map(({ text }) => text);
}

it("the last lines of an app come in their order, with their time, and none of another app's", async () => {
  logs.append(app, [line("one"), line("two")]);
  logs.append(newId(), [line("another app's")]);
  logs.append(app, [line("three")]);
  expect(await end(2)).toEqual(["two", "three"]);
  expect(await end(10)).toEqual(["one", "two", "three"]);
  expect(await end(10, newId())).toEqual([]);
});

it("two files of bounded size are kept, and the end is read across both", async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => line(`${i} ${"x".repeat(400)}`));
  for (let i = 0; i < 15; i++) logs.append(app, many);
  for (const name of [`${app}.log`, `${app}.log.1`]) {
    expect(statSync(join(directory, name)).size).toBeLessThan(3 * 1024 * 1024);
  }
  logs.append(app, [line("last")]);
  const read = await end(500);
  expect(read).toHaveLength(500);
  expect([read[0]?.split(" ")[0], read.at(-1)]).toEqual(["501", "last"]);
});

it("a follower gets the appended lines until the signal", async () => {
  logs.append(app, [line("before")]);
  const ending = new AbortController();
  const batches = logs.read(app, { lines: 10, follow: true, signal: ending.signal });
  expect(await batches.next()).toEqual({ done: false, value: { lines: [line("before")], dropped: 0 } });
  const next = batches.next();
  logs.append(app, [line("after")]);
  expect(await next).toEqual({ done: false, value: { lines: [line("after")], dropped: 0 } });
  const last = batches.next();
  ending.abort();
  expect((await last).done).toBe(true);
});

it("a slow reader is told how many lines are missing", async () => {
  const ending = new AbortController();
  const batches = logs.read(app, { lines: 1, follow: true, signal: ending.signal });
  const first = batches.next();
  logs.append(app, [line("first")]);
  await first;
  for (let i = 0; i < 3; i++)
    logs.append(
      app,
      Array.from({ length: 1_000 }, () => line("x")),
    );
  expect(await batches.next()).toMatchObject({ value: { dropped: 1_000 } });
  ending.abort();
});

it("an app's files can be removed, and those that nobody writes to any more are", async () => {
  logs.append(app, [line("x")]);
  logs.remove(app);
  logs.remove(app);
  expect(await end(1)).toEqual([]);
  logs.append(app, [line("x")]);
  utimesSync(join(directory, `${app}.log`), 1, 1);
  await logs.removeOlderThan(1_000, new Date());
  expect(await end(1)).toEqual([]);
});

it("an id that is none never becomes a file's name", () => {
  expect(() => logs.append("../evil", [line("x")])).toThrow(/no app's id/);
});
