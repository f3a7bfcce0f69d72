import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { beforeEach, expect, test } from "vitest";
import { OpenWindows } from "./open-windows.ts";

const NOON = Date.UTC(2026, 0, 31, 12) / 1000;
const USED = {
  cpuMs: 1,
  memoryBytes: 2,
  memoryBytesMax: 3,
  networkBytesIn: 4,
  networkBytesOut: 5,
  restarts: 0,
};

let nowSeconds: number;
let closed: MetricsWindow[];
let windows: OpenWindows;
const at = (seconds: number): Date => new Date((NOON + seconds) * 1000);
const open = () =>
  new OpenWindows({ now: () => at(nowSeconds), sleep: () => Promise.resolve() }, (it) => closed.push(it));
beforeEach(() => {
  [nowSeconds, closed] = [0, []];
  windows = open();
});

const ask = (seconds: number, status = 200) => {
  nowSeconds = Math.max(nowSeconds, seconds);
  windows.requestAnswered("shop", { time: at(seconds), status, seconds: 0.01 });
};
const readBoth = (seconds: number) => {
  nowSeconds = seconds;
  windows.logReadUntil(at(seconds));
  windows.usageReadUntil(NOON + Math.floor(seconds / 10) * 10);
};
/** Beginning and requests of each window that was closed. */
const counts = () =>
  closed.map(({ start, apps }) => [timestampMs(start!) / 1000 - NOON, ...apps.map(({ requests }) => requests)]);

test("a window begins at a multiple of 10 s, and is closed when its requests and its usage are known", () => {
  ask(0);
  ask(9.999, 404);
  ask(10, 503);
  nowSeconds = 10.5;
  windows.usageReadUntil(NOON + 10, new Map([["shop", USED]]));
  expect(counts()).toEqual([]);
  windows.logReadUntil(at(11));
  expect(counts()).toEqual([[0, 2]]);
  expect(closed[0]!.apps[0]).toMatchObject({ clientErrors: 1, errors: 0, usage: { cpuMilliseconds: 1 } });
  readBoth(21);
  expect(counts()).toEqual([
    [0, 2],
    [10, 1],
  ]);
  expect([closed[1]!.apps[0]!.errors, closed[1]!.apps[0]!.usage]).toEqual([1, undefined]);
});

test("an app that runs and that nobody asks for has 0 requests", () => {
  nowSeconds = 11;
  windows.logReadUntil(at(11));
  windows.usageReadUntil(NOON + 10, new Map([["shop", USED]]));
  expect(counts()).toEqual([[0, 0]]);
});

test("a request that is found late is counted in the oldest window that is open, and never lost", () => {
  ask(1);
  readBoth(12);
  ask(2);
  readBoth(22);
  expect(counts()).toEqual([
    [0, 1],
    [10, 1],
  ]);
});

test("requests that were answered while the agent was away are in the windows of their time, an hour back", () => {
  nowSeconds = 4000;
  windows = open();
  for (const seconds of [100, 2000, 2005, 3995]) ask(seconds);
  windows.logReadUntil(at(2012));
  windows.usageReadUntil(NOON + 4000);
  expect(counts()).toEqual([[2000, 2]]);
  readBoth(4001);
  expect(counts()).toEqual([
    [2000, 2],
    [3990, 1],
  ]);
});

test("a log that can't be read holds a window up for a minute, and an engine that hangs for 15 s", () => {
  nowSeconds = 10;
  windows.usageReadUntil(NOON + 10, new Map([["shop", USED]]));
  windows.logReadUntil(at(1));
  nowSeconds = 69;
  windows.usageReadUntil(NOON + 60);
  expect(counts()).toEqual([]);
  nowSeconds = 71;
  windows.usageReadUntil(NOON + 70);
  expect(counts()).toEqual([[0, 0]]);
  ask(71);
  nowSeconds = 94;
  windows.logReadUntil(at(94));
  expect(counts()).toEqual([[0, 0]]);
  nowSeconds = 95;
  windows.logReadUntil(at(95));
  expect(counts()).toEqual([
    [0, 0],
    [70, 1],
  ]);
});

test("a clock that was ahead is set back, and the windows go on from there", () => {
  nowSeconds = 5000;
  ask(5000);
  readBoth(5011);
  nowSeconds = 30;
  windows.setBack(at(30));
  ask(31);
  readBoth(41);
  expect(counts()).toEqual([
    [5000, 1],
    [30, 1],
  ]);
});
