import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { Engine } from "../ports.ts";
import type { Reconcile } from "./reconcile-apps.ts";
import type { Changes } from "../platform/changes.ts";

/** The end of an engine is told by its events; the look finds within 10 s what nobody tells of. */
const LOOK_MS = 10_000;
/** While the engine is away, a look is a refused connection. */
const AWAY_LOOK_MS = 250;

interface Options {
  engine: Pick<Engine, "describe">;
  reconcile: Reconcile;
  /** Tells that the engine has ended, or may have. */
  engineLost: Changes;
  log: Logger;
}

/** Looks at the start, every 10 s, and as soon as an engine that went answers again; resolves when the signal aborts. */
export async function keepAppsRunning({ engine, reconcile, engineLost, log }: Options, signal: AbortSignal) {
  let isAway = false;
  async function work(): Promise<number> {
    try {
      await engine.describe();
      await reconcile();
    } catch (error) {
      isAway = true;
      throw error;
    }
    if (isAway) log.info("the engine and the proxy answer again");
    isAway = false;
    return LOOK_MS;
  }

  const wakeOn = (wake: () => void): (() => void) => engineLost.subscribe(wake);
  const failing = "the engine or the proxy does not answer";
  await repeat({ everyMs: AWAY_LOOK_MS, retryMsMax: AWAY_LOOK_MS, work, failing, wakeOn, log }, signal);
}
