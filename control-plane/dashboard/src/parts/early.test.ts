import { expect, test, vi } from "vitest";
import { early } from "./early.ts";

test("a load begins before anybody asks, is given once, and is made anew from then on", async () => {
  let loads = 0;
  const load = early(() => Promise.resolve(++loads));
  expect(loads).toBe(1);
  expect(await load()).toBe(1);
  expect(await load()).toBe(2);
  expect(loads).toBe(2);
});

test("a load that failed before anybody asked fails for whoever asks, and is tried anew by the next", async () => {
  let loads = 0;
  const load = early(() => (++loads === 1 ? Promise.reject(new Error("away")) : Promise.resolve("there")));
  await expect(load()).rejects.toThrow("away");
  expect(await load()).toBe("there");
});

test("a load that began long ago is made anew, as in a tab that nobody has looked at", async () => {
  vi.useFakeTimers();
  try {
    let loads = 0;
    const load = early(() => Promise.resolve(++loads));
    vi.advanceTimersByTime(10_001);
    expect(await load()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
