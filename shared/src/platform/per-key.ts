import type { Logger } from "./logger.ts";

export interface KeyedWork {
  /** One round for a key. */
  work(key: string): Promise<void>;
  /** A sentence for the log when a round fails; the next call for the key makes another. */
  failing: string;
  log: Pick<Logger, "error">;
}

/** Work that is done for each key by itself. */
export interface PerKey {
  /**
   * Makes a round for the key, at once or after the one that is being made. Resolves when it has ended, and never rejects;
   * whoever calls during a round shares the next one.
   */
  wake(key: string): Promise<void>;
  /** Resolves when no round is being made. */
  idle(): Promise<void>;
}

/** Works for many keys at the same time, for each one round at a time, until the signal aborts. */
export function perKey({ work, failing, log }: KeyedWork, signal?: AbortSignal): PerKey {
  const rounds = new Map<string, { ended: Promise<void>; next?: Promise<void> }>();

  function wake(key: string): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    const current = rounds.get(key);
    if (current) return (current.next ??= current.ended.then(() => wake(key)));
    const ended = work(key)
      .catch((err: unknown) => {
        if (!signal?.aborted) log.error({ err, key }, failing);
      })
      .finally(() => rounds.delete(key));
    rounds.set(key, { ended });
    return ended;
  }

  return {
    wake,
    async idle() {
      while (rounds.size > 0) await Promise.all([...rounds.values()].map(({ ended, next }) => next ?? ended));
    },
  };
}
