import { systemClock, type Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** Retries of work that fails come ever more slowly, up to this pause. */
const RETRY_MS_MAX = 5_000;

export interface Repetition {
  /** Pause between two rounds. Milliseconds. */
  everyMs: number;
  /** One round. Returns the pause until the next where that is not `everyMs`. A round that rejects is made again. */
  work(signal: AbortSignal): Promise<number | void>;
  /**
   * The longest pause after a round that failed, where nobody may wait as long as 5 s. Pauses double up to it; none is shorter
   * than `everyMs`. Milliseconds.
   */
  retryMsMax?: number;
  /** A sentence for the log when a round fails; it is said again only after one has succeeded. */
  failing: string;
  /** Subscribes to what ends a pause early, and returns how to unsubscribe. A call during a round makes another round at once. */
  wakeOn?: (wake: () => void) => () => void;
  clock?: Clock | undefined;
  log: Pick<Logger, "warn">;
}

/** Works at once, and again and again, one round at a time; resolves when the signal has aborted and the round has ended. */
export async function repeat(repetition: Repetition, signal: AbortSignal): Promise<void> {
  const { everyMs, retryMsMax = RETRY_MS_MAX, work, failing, wakeOn, clock = systemClock, log } = repetition;
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
        pauseMs = Math.max(everyMs, Math.min(retryMsMax, everyMs * 2 ** failures));
      }
      const end = wakeOn ? AbortSignal.any([signal, pause.signal]) : signal;
      await clock.sleep(pauseMs, end).catch(() => undefined);
    }
  } finally {
    unsubscribe?.();
  }
}

/** Works until a round succeeds, with a pause after each that fails; resolves also when the signal has aborted. */
export async function repeatUntilDone(
  { work, ...repetition }: Repetition & { work(signal: AbortSignal): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const workOnce = (): Promise<void> => work(signal).then(() => done.abort());
  await repeat({ ...repetition, work: workOnce }, AbortSignal.any([signal, done.signal]));
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
