import { SvcError } from "@svc/shared/errors.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, expect, test, vi } from "vitest";
import { keepAppsRunning } from "./keep-apps-running.ts";
import { Changes } from "../platform/changes.ts";

/** The engine is looked at every 250 ms, and a busy machine is late with each look. */
const PATIENT = { timeout: 10_000 };
const stop = new AbortController();
afterEach(() => stop.abort());

test("an engine that ends is looked at until it answers, and then its apps at once", async () => {
  const engineLost = new Changes();
  let isUp = true;
  let looks = 0;
  const describe = (): Promise<never> =>
    (isUp ? Promise.resolve({}) : Promise.reject(new SvcError("engine_unavailable", "It is gone."))) as Promise<never>;
  const reconcile = vi.fn(() => Promise.resolve(true));
  const engine = { describe: () => ((looks += 1), describe()) };
  const keeping = keepAppsRunning({ engine, reconcile, engineLost, log }, stop.signal);
  await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(1), PATIENT);

  isUp = false;
  engineLost.notify();
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), PATIENT);
  expect(reconcile).toHaveBeenCalledTimes(1);

  isUp = true;
  await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(2), PATIENT);
  stop.abort();
  await keeping;
});
