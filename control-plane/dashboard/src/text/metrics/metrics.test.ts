import { expect, test } from "vitest";
import { bytes, cores, count, milliseconds } from "./amount.ts";
import { sumOf } from "./facts.ts";

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
