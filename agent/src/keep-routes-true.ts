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
  let wasReported = false;
  while (!signal.aborted) {
    try {
      await engine.describe();
      isTrue ||= await reconcileRoutes({ engine, proxy, log });
      wasReported = false;
    } catch (err) {
      if (!wasReported) log.warn({ err }, "the engine or the proxy does not answer");
      wasReported = true;
      isTrue = false;
    }
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
