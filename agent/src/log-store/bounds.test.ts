import { expect, test } from "vitest";
import { allBytesMax, APP_BYTES_MAX, KEEP_DAYS, segmentsToRemove, type PrunedSegment } from "./bounds.ts";

const DAY_MS = 24 * 60 * 60_000;
const now = new Date("2026-01-31T12:00:00Z");
const segment = (appId: string, daysOld: number, bytes = 10): PrunedSegment => ({
  appId,
  path: `${appId} ${daysOld}`,
  bytes,
  last: now.getTime() - daysOld * DAY_MS,
});
const removed = (segments: readonly PrunedSegment[], bytesMax = Infinity) =>
  segmentsToRemove(segments, { now, bytesMax }).map(({ path }) => path);

test("segments go after seven days, whoever has room", () => {
  expect(removed([segment("a", KEEP_DAYS + 0.1), segment("a", KEEP_DAYS - 0.1), segment("b", 9)])).toEqual([
    "a 7.1",
    "b 9",
  ]);
});

test("an app that has more than its bytes loses its oldest segments, and no other app any", () => {
  const third = APP_BYTES_MAX / 3 + 1;
  expect(removed([segment("b", 6), segment("a", 1, third), segment("a", 3, third), segment("a", 2, third)])).toEqual([
    "a 3",
  ]);
});

test("when all together have too many, the app that has most gives its oldest", () => {
  const segments = [segment("a", 5, 30), segment("a", 1, 30), segment("b", 6, 20), segment("b", 2, 20)];
  expect(removed(segments, 100)).toEqual([]);
  expect(removed(segments, 99)).toEqual(["a 5"]);
  expect(removed(segments, 60)).toEqual(["a 5", "b 6"]);
  expect(removed(segments, 0)).toHaveLength(4);
});

test("all apps together take no more than a share of the disk, and half of it again while the disk is short", () => {
  expect(allBytesMax(1e9, 0, false)).toBe(5e7);
  expect(allBytesMax(1e15, 0, false)).toBe(10 * 1024 ** 3);
  expect(allBytesMax(1e12, 1000, true)).toBe(500);
});
