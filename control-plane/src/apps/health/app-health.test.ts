import { expect, test } from "vitest";
import { nextHealth, RECOVERY_TOLD_AFTER_MS, type HealthRecord, type RecordedHealth } from "./app-health.ts";

const AT = new Date("2026-01-31T12:00:00.000Z");
const after = (ms: number): Date => new Date(AT.getTime() + ms);
const serving = (ms: number) => ({ reason: null, since: AT, observedAt: after(ms) });
const looping = { reason: "crash_loop", since: AT, observedAt: after(5) } as const;
const since = AT.toISOString();
const earlier = "2026-01-01T00:00:00.000Z";
const healthy: RecordedHealth = { state: "healthy", reason: null, since: earlier };
const unhealthy: RecordedHealth = { state: "unhealthy", reason: "crash_loop", since: earlier };

const unknown: HealthRecord = { health: null, isToldUnhealthy: false };
const serves: HealthRecord = { health: healthy, isToldUnhealthy: false };
const loops: HealthRecord = { health: unhealthy, isToldUnhealthy: true };
const servesAgain: HealthRecord = { health: healthy, isToldUnhealthy: true };

test("the first that is known of an app that serves is no event, and of one that does not it is", () => {
  expect(nextHealth(unknown, serving(0))).toEqual({ health: { ...healthy, since } });
  expect(nextHealth(unknown, looping)).toEqual({ health: { ...unhealthy, since }, event: "app.unhealthy" });
});

test("a state that stays leads to nothing, and keeps since when it holds", () => {
  expect(nextHealth(serves, serving(RECOVERY_TOLD_AFTER_MS))).toBe("same");
  expect(nextHealth(loops, looping)).toBe("same");
});

test("another reason is no further event, and keeps since when the app is unhealthy", () => {
  const gone = { ...looping, reason: "gone" } as const;
  expect(nextHealth(loops, gone)).toEqual({ health: { ...unhealthy, reason: "gone" } });
});

test("an app that serves again is healthy at once, and has recovered when it has served for 10 s, and not before", () => {
  expect(nextHealth(loops, serving(0))).toEqual({ health: { ...healthy, since } });
  expect(nextHealth(servesAgain, serving(RECOVERY_TOLD_AFTER_MS - 1))).toBe("later");
  const recovered = { health: healthy, event: "app.recovered" };
  expect(nextHealth(servesAgain, serving(RECOVERY_TOLD_AFTER_MS))).toEqual(recovered);
});

test("another place of a copy is shown at once, and is no event", () => {
  const on = (...machines: string[]) => ({
    wanted: 2,
    copies: machines.map((machine) => ({ machine, serving: true })),
    database_machine: null,
  });
  const record = { ...serves, health: { ...healthy, replicas: on("a", "b") } };
  expect(nextHealth(record, { ...serving(0), replicas: on("a", "b") })).toBe("same");
  expect(nextHealth(record, { ...serving(0), replicas: on("a") })).toEqual({
    health: { ...healthy, replicas: on("a") },
  });
  expect(nextHealth(record, { ...looping, replicas: on() })).toMatchObject({
    event: "app.unhealthy",
    health: { replicas: on() },
  });
});

test("an app whose first word after its fault comes late has recovered by then", () => {
  const recovered = { health: { ...healthy, since }, event: "app.recovered" };
  expect(nextHealth(loops, serving(RECOVERY_TOLD_AFTER_MS))).toEqual(recovered);
});

test("an app that ends again before its recovery was told is unhealthy at once, and nobody is told twice", () => {
  expect(nextHealth(servesAgain, looping)).toEqual({ health: { ...unhealthy, since } });
});
