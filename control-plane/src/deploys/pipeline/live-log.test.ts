import { expect, test } from "vitest";
import type { NewEvent } from "../events/deploy-events.store.ts";
import { LiveLog } from "./live-log.ts";

const KB = 1024;
const HOUR_MS = 3_600_000;

const row = (name: string, bytes: number): NewEvent => ({
  kind: "log",
  stepOrder: 2,
  payload: { lines: [name.padEnd(bytes, ".")], dropped: 0 },
});
const rows = (count: number, from = 0): NewEvent[] =>
  Array.from({ length: count }, (_, i) => row(String(from + i), 16 * KB - 200));
const names = (events: readonly NewEvent[]): string[] =>
  events.flatMap(({ payload }) => (payload["lines"] as string[]).map((line) => line.replace(/\.+$/, "")));
const dropped = (events: readonly NewEvent[]): number =>
  events.reduce((count, { payload }) => count + Number(payload["dropped"] ?? 0), 0);

test("an ordinary log is stored as it comes", () => {
  const log = new LiveLog(2, 0);
  log.push(rows(10));
  expect(log.take(0)).toHaveLength(10);
  expect([log.take(0), log.end(0)]).toEqual([[], []]);
});

test("the newest lines of a log that is too fast wait, and the others are counted", () => {
  const log = new LiveLog(2, 0);
  log.push(rows(60));
  expect(log.take(0)).toHaveLength(60);
  log.push(rows(100, 60));
  expect(log.take(0)).toEqual([]);
  const end = log.end(0);
  expect(names(end)).toEqual(["155", "156", "157", "158", "159"]);
  expect(dropped(end)).toBe(95);
});

test("waiting lines are stored as time allows", () => {
  const log = new LiveLog(2, 1024 * KB);
  log.push(rows(5));
  expect(log.take(10_000)).toEqual([]);
  expect(names(log.take(60_000))).toEqual(["0", "1", "2", "3", "4"]);
});

test("a deploy's log never fills more than 3.5 MiB and the end of each step, however long it runs", () => {
  const log = new LiveLog(2, 3.5 * KB * KB);
  log.push(rows(1_000));
  expect(log.take(24 * HOUR_MS)).toEqual([]);
  expect(log.end(24 * HOUR_MS)).toHaveLength(6);
});

test("short lines are kept by what they are in the output, not by what they cost", () => {
  const log = new LiveLog(2, 4 * KB * KB);
  for (let i = 0; i < 200; i++) {
    log.push([{ kind: "log", stepOrder: 2, payload: { lines: Array(500).fill("x"), dropped: 0 } }]);
  }
  expect(names(log.end(0)).length).toBeGreaterThanOrEqual(32 * KB);
});

test("progress that comes when there is no room waits within 16 KiB, the newest of it, and takes no line's place", () => {
  const log = new LiveLog(2, 4 * KB * KB);
  const progress = (i: number): NewEvent => ({ kind: "progress", stepOrder: 2, payload: { message: `${i} %` } });
  log.push([row("last line", 100)]);
  for (let i = 0; i < 1_000; i++) {
    log.push([progress(i)]);
    expect(log.take(0)).toEqual([]);
  }
  const end = log.end(0);
  expect(end.length).toBeLessThan(100);
  expect(end[0]!.payload["lines"]).toEqual([expect.stringContaining("last line")]);
  expect(end.at(-1)!.payload).toEqual({ message: "999 %" });
});
