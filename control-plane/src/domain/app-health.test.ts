import { expect, test } from "vitest";
import { nextHealth, RECOVERED_AFTER_MS, type RecordedHealth } from "./app-health.ts";

const AT = new Date("2026-01-31T12:00:00.000Z");
const after = (ms: number): Date => new Date(AT.getTime() + ms);
const serving = (ms: number) => ({ reason: null, since: AT, observedAt: after(ms) });
const looping = { reason: "crash_loop", since: AT, observedAt: after(5) } as const;
const healthy: RecordedHealth = { state: "healthy", reason: null, since: "2026-01-01T00:00:00.000Z" };
const unhealthy: RecordedHealth = { state: "unhealthy", reason: "crash_loop", since: "2026-01-01T00:00:00.000Z" };

test("the first that is known of an app that serves is no event, and of one that does not it is", () => {
  expect(nextHealth(null, serving(0))).toEqual({ health: { ...healthy, since: AT.toISOString() } });
  expect(nextHealth(null, looping)).toEqual({
    health: { state: "unhealthy", reason: "crash_loop", since: AT.toISOString() },
    event: "app.unhealthy",
  });
});

test("what stays as it is leads to nothing, and keeps since when it is so", () => {
  expect(nextHealth(healthy, serving(0))).toBe("same");
  expect(nextHealth(unhealthy, looping)).toBe("same");
});

test("another reason is no further event, and keeps since when the app is unhealthy", () => {
  const gone = { ...looping, reason: "gone" } as const;
  expect(nextHealth(unhealthy, gone)).toEqual({ health: { ...unhealthy, reason: "gone" } });
});

test("an app that was unhealthy has recovered when it has served for 10 s, and not before", () => {
  expect(nextHealth(unhealthy, serving(RECOVERED_AFTER_MS - 1))).toBe("later");
  expect(nextHealth(unhealthy, serving(RECOVERED_AFTER_MS))).toMatchObject({ event: "app.recovered" });
});
