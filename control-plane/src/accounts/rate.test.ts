import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_WRITE_RATE, retryAfterSeconds } from "./rate.ts";

test("an empty bucket asks for six seconds", () => expect(retryAfterSeconds(1, DEFAULT_WRITE_RATE)).toBe(6));

test("a caller who waits as long as told may go on, and is never told to wait for no time", () => {
  const rate = fc.record({ perMinute: fc.integer({ min: 1, max: 10_000 }), burst: fc.integer({ min: 1, max: 100 }) });
  fc.assert(
    fc.property(rate, fc.double({ min: 0.001, max: 1, noNaN: true }), (bucket, missing) => {
      const seconds = retryAfterSeconds(missing, bucket);
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect((seconds * bucket.perMinute) / 60).toBeGreaterThan(missing - 1e-9);
      expect(((seconds - 1) * bucket.perMinute) / 60).toBeLessThan(Math.max(missing, 1e-9));
    }),
  );
});
