import { expect, test } from "vitest";
import type { ContainerUsage } from "../ports.ts";
import { usageOfApps, type UsageReading } from "./usage-of-apps.ts";

const FROM = new Date("2026-01-31T12:00:00.000Z");
const after = (seconds: number): Date => new Date(FROM.getTime() + seconds * 1000);

function container(more: Partial<ContainerUsage> = {}, cpuMs = 0, networkBytesIn = 0): ContainerUsage {
  return {
    containerId: "c-1",
    appId: "shop",
    appName: "shop",
    role: "app",
    run: "c-1 100",
    restartCount: 0,
    startedAt: after(-3600),
    memoryBytesMax: 512,
    counters: { cpuMs, networkBytesIn, networkBytesOut: 2 * networkBytesIn, memoryBytes: 100 },
    ...more,
  };
}
const reading = (seconds: number, ...containers: ContainerUsage[]): UsageReading => ({
  time: after(seconds),
  containers,
});
const usedBetween = (a: ContainerUsage[], b: ContainerUsage[], seconds = 10) =>
  usageOfApps(reading(0, ...a), reading(seconds, ...b)).get("shop");

test("what an app has used is the difference of two readings", () => {
  expect(usedBetween([container({}, 1000, 10)], [container({}, 6000, 15)])).toEqual({
    cpuMs: 5000,
    memoryBytes: 100,
    memoryBytesMax: 512,
    networkBytesIn: 5,
    networkBytesOut: 10,
    restarts: 0,
  });
});

test("a reading that is late counts the time on processors of one window", () => {
  expect(usedBetween([container()], [container({}, 6000)], 12)?.cpuMs).toBe(5000);
});

test("a container that was started again is counted from 0, and its restarts once", () => {
  const before = container({ restartCount: 1 }, 9_000_000, 500);
  const again = container({ run: "c-1 200", restartCount: 3 }, 700, 20);
  expect(usedBetween([before], [again])).toMatchObject({ cpuMs: 700, networkBytesIn: 20, restarts: 2 });
  const byOwner = container({ run: "c-1 300", restartCount: 0 }, 10);
  expect(usedBetween([again], [byOwner])).toMatchObject({ cpuMs: 10, restarts: 0 });
});

test("a counter that goes back counts nothing", () => {
  expect(usedBetween([container({}, 900)], [container({}, 800)])?.cpuMs).toBe(0);
});

test("both containers of a deploy count, the new one from its start", () => {
  const begun = { containerId: "c-2", run: "c-2 200", startedAt: after(3) };
  const other = container(begun, 400, 7);
  expect(usedBetween([container({}, 100)], [container({}, 200), other])).toMatchObject({
    cpuMs: 500,
    memoryBytes: 200,
    memoryBytesMax: 1024,
    networkBytesIn: 7,
  });
  expect(usedBetween([container({}, 200), other], [container({}, 200), container(begun, 450, 9)])?.cpuMs).toBe(50);
});

test("an app is left out of a window when one of its containers is not known for all of it", () => {
  expect(usedBetween([], [container()])).toBeUndefined();
  expect(usedBetween([container()], [container({ counters: undefined })])).toBeUndefined();
  expect(usedBetween([container({ counters: undefined })], [container({}, 5)])).toBeUndefined();
});

test("a database is not counted", () => {
  const database = container({ containerId: "c-2", role: "database" }, 5);
  expect(usedBetween([database], [database])).toBeUndefined();
});
