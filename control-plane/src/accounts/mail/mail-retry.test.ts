import { expect, test } from "vitest";
import { GIVE_UP_AFTER_MS, retryDelayMs } from "./mail-retry.ts";

test("pauses double from 30 seconds to an hour", () => {
  expect([1, 2, 3, 7, 8, 30, 2_000].map((attempts) => retryDelayMs(attempts, 0))).toEqual([
    30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000,
  ]);
});

test("a mail that nobody takes is given up within a day, after some 30 attempts", () => {
  let [attempts, ageMs] = [1, 0];
  for (let delayMs = retryDelayMs(attempts, ageMs); delayMs !== undefined; delayMs = retryDelayMs(attempts, ageMs)) {
    ageMs += delayMs;
    attempts += 1;
  }
  expect(ageMs).toBeGreaterThan(GIVE_UP_AFTER_MS - 3_600_000);
  expect(ageMs).toBeLessThanOrEqual(GIVE_UP_AFTER_MS);
  expect(attempts).toBeLessThan(40);
});
