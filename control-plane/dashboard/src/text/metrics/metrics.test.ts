import { expect, test } from "vitest";
import { bytes, cores, count, milliseconds } from "./amount.ts";
import { sumOf } from "./facts.ts";
import { withRoom } from "./with-room.ts";

test.for([
  [count(1234), "1234"],
  [cores(1), "1 core"],
  [cores(0.2512), "0.25 cores"],
  [cores(0.0123), "0.012 cores"],
  [milliseconds(1.23), "1.2 ms"],
  [milliseconds(250.4), "250 ms"],
  [milliseconds(1500), "1.5 s"],
  [milliseconds(65_536), "65.5 s"],
  [bytes(0), "0 B"],
  [bytes(1536), "1.5 KiB"],
  [bytes(64 * 1024 ** 2), "64 MiB"],
  [bytes(2 ** 60), "1048576 TiB"],
])("an amount is written as a person would: %s", ([written, expected]) => {
  expect(written).toBe(expected);
});

test("a sum of nothing known is not 0", () => {
  expect([sumOf([]), sumOf([null, null]), sumOf([null, 2, 3])]).toEqual([null, null, 5]);
});

test("a label that would lie on one before it is left out", () => {
  const spans = [
    { from: 90, to: 110 },
    { from: 95, to: 115 },
    { from: 70, to: 90 },
    { from: 60, to: 80 },
    { from: 0, to: 500 },
  ];
  expect(withRoom(spans)).toEqual([spans[0], spans[2]]);
});
