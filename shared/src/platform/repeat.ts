import { systemClock, type Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** Work that fails is tried again after pauses that double up to this, or to its own pause where that is longer. */
const BACKOFF_MS_MAX = 5_000;

export interface Repetition {
  /** Pause between two rounds. Milliseconds. */
  everyMs: number;
  /** One round. Returns the pause until the next where that is not `everyMs`. A round that rejects is made again. */
  work(signal: AbortSignal): Promise<number | void>;
  /** A sentence for the log when a round fails; it is said again only after one has succeeded. */
  failing: string;
  /** Subscribes to what ends a pause early, and returns how to unsubscribe. A call during a round makes another round at once. */
  wakeOn?: (wake: () => void) => () => void;
  clock?: Clock | undefined;
  log: Pick<Logger, "warn">;
}

/** Works at once, and again and again, one round at a time; resolves when the signal has aborted and the round has ended. */
export async function repeat(repetition: Repetition, signal: AbortSignal): Promise<void> {
  const { everyMs, work, failing, wakeOn, clock = systemClock, log } = repetition;
  let failures = 0;
  let pause = new AbortController();
  const unsubscribe = wakeOn?.(() => pause.abort());
  try {
    while (!signal.aborted) {
      pause = new AbortController();
      let pauseMs = everyMs;
      try {
        pauseMs = (await work(signal)) ?? everyMs;
        failures = 0;
      } catch (err) {
        if (failures === 0 && !signal.aborted) log.warn({ err }, failing);
        failures += 1;
        pauseMs = Math.max(everyMs, Math.min(BACKOFF_MS_MAX, everyMs * 2 ** failures));
      }
      const end = wakeOn ? AbortSignal.any([signal, pause.signal]) : signal;
      await clock.sleep(pauseMs, end).catch(() => undefined);
    }
  } finally {
    unsubscribe?.();
  }
}

/** The same as a part of a process that is stopped by its name. */
export function startRepeating(name: string, repetition: Repetition): { name: string; stop(): Promise<void> } {
  const stopping = new AbortController();
  const working = repeat(repetition, stopping.signal);
  return {
    name,
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
