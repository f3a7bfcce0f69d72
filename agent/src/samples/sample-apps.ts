import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { WINDOW_SECONDS, windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import type { Engine } from "../ports.ts";
import type { AccessObserver } from "../edge/access-log/keep-access-logs.ts";
import { OpenWindows } from "./open-windows.ts";
import { SampleHistory } from "./sample-history.ts";
import { usageOfApps, type UsageReading } from "./usage-of-apps.ts";

const WINDOW_MS = WINDOW_SECONDS * 1000;

/** Two readings that are further apart tell nothing of one window: the host slept, or the engine was away. */
const READINGS_APART_MS_MAX = 1.5 * WINDOW_MS;

/** A timer may fire a moment early, and the window would not have ended. Milliseconds. */
const AFTER_END_MS = 20;

interface Options {
  engine: Pick<Engine, "usage">;
  clock: Clock;
  log: Logger;
}

export interface AppSamples extends AccessObserver {
  history: SampleHistory;
  logReadUntil(time: Date): void;
  /** Samples the apps until the signal. */
  keep(signal: AbortSignal): Promise<void>;
  /** The app was purged. */
  forget(appId: string): void;
}

/** The use and the answers of apps, by windows of 10 s (decision 029). */
export function createAppSamples(options: Options): AppSamples {
  const history = new SampleHistory();
  const windows = new OpenWindows(options.clock, (window) => history.add(window));
  return {
    history,
    requestAnswered: (appId, entry) => windows.requestAnswered(appId, entry),
    requestAnsweredBefore: (appId, entry) => windows.requestAnswered(appId, entry),
    logReadUntil: (time) => windows.logReadUntil(time),
    keep: (signal) => sampleApps({ ...options, windows, history }, signal),
    forget: (appId) => windows.forget(appId),
  };
}

interface Parts extends Options {
  windows: OpenWindows;
  history: SampleHistory;
}

/** Reads at the end of each window what the apps' containers have used in it, until the signal. */
async function sampleApps(options: Parts, signal: AbortSignal): Promise<void> {
  const { engine, windows, history, clock, log } = options;
  let former: UsageReading | undefined;

  async function sample(): Promise<number> {
    const time = clock.now();
    const end = windowOf(time.getTime() / 1000);
    if (former && time < former.time) {
      windows.setBack(time);
      history.forgetFrom(end);
      former = undefined;
    }
    const reading = { time, containers: await engine.usage() };
    const isOfWindow = former && time.getTime() - former.time.getTime() <= READINGS_APART_MS_MAX;
    windows.usageReadUntil(end, former && isOfWindow ? usageOfApps(former, reading) : undefined);
    former = reading;
    return untilNextEnd(clock.now());
  }

  await clock.sleep(untilNextEnd(clock.now()), signal).catch(() => undefined);
  const failing = "what the apps use can't be read; this is tried again";
  await repeat({ everyMs: WINDOW_MS, failing, work: sample, clock, log }, signal);
}

function untilNextEnd(now: Date): number {
  return WINDOW_MS - (now.getTime() % WINDOW_MS) + AFTER_END_MS;
}
