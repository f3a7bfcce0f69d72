import { LATENCY_BOUNDS_MS, LATENCY_BUCKETS, latencyBucket } from "@svc/shared/rules/metrics/latency-buckets.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addCounts, percentileMs } from "./latency.ts";

function countsOf(latencies: readonly number[]): number[] {
  const counts: number[] = [];
  for (const latency of latencies) {
    const bucket = latencyBucket(latency);
    while (counts.length <= bucket) counts.push(0);
    counts[bucket]! += 1;
  }
  return counts;
}

/** The nearest rank, of the latencies themselves. */
const exact = (latencies: readonly number[], share: number): number =>
  latencies.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * latencies.length)) - 1]!;

const latencies = fc.array(fc.double({ min: 1.01, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 300 });
const share = fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1);

test("a percentile is off by less than a fifth, whatever the latencies are", () => {
  fc.assert(
    fc.property(latencies, share, (all, part) => {
      const off = percentileMs(countsOf(all), part)! / exact(all, part);
      expect(off).toBeGreaterThan(1 / 1.2);
      expect(off).toBeLessThan(1.2);
    }),
  );
});

test("a percentile of added counts is that of all latencies together, in whichever order they are added", () => {
  fc.assert(
    fc.property(latencies, latencies, share, (some, others, part) => {
      const [a, b] = [countsOf(some), countsOf(others)];
      expect(addCounts(a, b)).toEqual(addCounts(b, a));
      expect(percentileMs(addCounts(a, b), part)).toBe(percentileMs(countsOf([...some, ...others]), part));
    }),
  );
});

test("nothing has no percentile, and what took longest counts as the last bound", () => {
  expect(percentileMs([], 0.5)).toBeNull();
  expect(percentileMs([0, 0], 0.5)).toBeNull();
  expect(latencyBucket(1e9)).toBe(LATENCY_BUCKETS - 1);
  expect(percentileMs(countsOf([1e9]), 0.99)).toBe(LATENCY_BOUNDS_MS.at(-1));
});

test("a latency of a bound itself is in that bound's bucket", () => {
  for (const [place, bound] of LATENCY_BOUNDS_MS.entries()) expect(latencyBucket(bound)).toBe(place);
  expect(latencyBucket(0)).toBe(0);
});
