import { systemClock, type Clock } from "./clock.ts";

export interface Tries {
  /** Pause between two tries. Milliseconds. */
  pauseMs: number;
  /** No try begins later than this after the first. Milliseconds; without it only the signal ends them. */
  msMax?: number;
  clock?: Clock;
  signal?: AbortSignal | undefined;
}

/**
 * Looks again and again until there is something, which undefined is not.
 * @returns undefined when there was nothing in that time
 * @throws what a look throws, or the signal's reason
 */
export async function until<T>(look: () => Promise<T | undefined>, tries: Tries): Promise<T | undefined> {
  const { pauseMs, msMax = Infinity, clock = systemClock, signal } = tries;
  const deadline = clock.now().getTime() + msMax;
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now().getTime() >= deadline) return found;
    await clock.sleep(pauseMs, signal);
  }
}

/**
 * Tries again and again until it succeeds.
 * @param tries.mayPass whether a further try may succeed after this failure; it may do what helps that
 * @throws the last failure, or the signal's reason
 */
export async function retry<T>(
  work: () => Promise<T>,
  { mayPass, ...tries }: Tries & { mayPass(failure: unknown): boolean | Promise<boolean> },
): Promise<T> {
  let last: unknown;
  const attempt = async (): Promise<{ result: T } | undefined> => {
    try {
      return { result: await work() };
    } catch (failure) {
      if (!(await mayPass(failure))) throw failure;
      last = failure;
      return undefined;
    }
  };
  const done = await until(attempt, tries);
  if (!done) throw last;
  return done.result;
}
