import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { MetricsWindowSchema, type MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { expect, test } from "vitest";
import { SampleHistory } from "./sample-history.ts";

const window = (start: number, apps = 1): MetricsWindow =>
  create(MetricsWindowSchema, {
    start: timestampFromMs(start * 1000),
    apps: Array.from({ length: apps }, (_, place) => ({ appId: `app-${place}`, requests: 1 })),
  });
const filled = (history: SampleHistory, count: number, apps?: number): SampleHistory => {
  for (let place = 0; place < count; place++) history.add(window(place * 10, apps));
  return history;
};

/** Takes so many windows, as one that watches. */
async function take(history: SampleHistory, after: number | undefined, count: number): Promise<number[]> {
  const ending = new AbortController();
  const starts: number[] = [];
  for await (const windows of history.watch(after, ending.signal)) {
    starts.push(...windows.map(({ start }) => timestampMs(start!) / 1000));
    if (starts.length >= count) ending.abort();
  }
  return starts;
}

test("the last hour is kept, however long the control plane is away", async () => {
  const starts = await take(filled(new SampleHistory(), 1000), undefined, 360);
  expect([starts.length, starts[0], starts.at(-1)]).toEqual([360, 6400, 9990]);
});

test("whoever watches gets what follows the window that it names, then each new one, once", async () => {
  const history = filled(new SampleHistory(), 10);
  const taken = take(history, 70, 4);
  history.add(window(100));
  history.add(window(110));
  expect(await taken).toEqual([80, 90, 100, 110]);
});

test("the oldest make way when many apps would take more memory than is allowed", async () => {
  const history = filled(new SampleHistory(1000), 20, 5);
  const starts = await take(history, undefined, 1);
  expect(starts.at(-1)).toBe(190);
  expect(starts.length).toBeLessThan(20);
});

test("a message has at most 60 windows, and about 1 MiB", async () => {
  const ending = new AbortController();
  const lengths: number[] = [];
  const count = 130;
  for await (const windows of filled(new SampleHistory(), count).watch(undefined, ending.signal)) {
    lengths.push(windows.length);
    if (lengths.reduce((sum, each) => sum + each) === count) ending.abort();
  }
  expect(lengths).toEqual([60, 60, 10]);
});

test("windows of a clock that was ahead are forgotten, and those that follow are sent to whoever watches", async () => {
  const history = filled(new SampleHistory(), 5);
  const taken = take(history, undefined, 6);
  history.forgetFrom(20);
  history.add(window(20));
  expect(await taken).toEqual([0, 10, 20, 30, 40, 20].slice(0, 6));
  expect(await take(history, undefined, 3)).toEqual([0, 10, 20]);
});
