import { expect, test } from "vitest";
import { bytes, cores, count, milliseconds } from "./amount.ts";
import { sumOf } from "./facts.ts";
import { besideLine, withRoom } from "./with-room.ts";

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

const BOUNDS = { from: 0, to: 200 };

test.each([
  ["right of its line", 100, [], { from: 100, to: 120 }],
  ["left of it at the right edge", 190, [], { from: 170, to: 190 }],
  ["left of it, where another line is near on the right", 100, [110], { from: 80, to: 100 }],
  ["right of it, where another line is near on the left", 100, [95], { from: 100, to: 120 }],
  ["nowhere between two lines that are near", 100, [80, 120], undefined],
  ["nowhere at the right edge, where another line is near on the left", 190, [175], undefined],
] as const)("a label stands %s", (_where, x, others, span) => {
  expect(besideLine({ x, width: 20 }, others, BOUNDS)).toEqual(span);
});
