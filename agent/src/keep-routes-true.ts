import type { Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import type { Engine, Proxy } from "./ports.ts";
import { reconcileRoutes } from "./reconcile-routes.ts";

/** An engine that restarts takes longer; the look itself is one local request. */
const LOOK_MS = 10_000;

interface Options {
  engine: Engine;
  proxy: Proxy;
  clock: Clock;
  log: Logger;
}

/** Corrects the routes at the start, and whenever the engine has come back; resolves when the signal aborts. */
export async function keepRoutesTrue({ engine, proxy, clock, log }: Options, signal: AbortSignal): Promise<void> {
  let isTrue = false;
  while (!signal.aborted) {
    try {
      await engine.describe();
      if (!isTrue) await reconcileRoutes({ engine, proxy, log });
      isTrue = true;
    } catch (err) {
      if (isTrue) log.warn({ err }, "the engine does not answer");
      isTrue = false;
    }
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
