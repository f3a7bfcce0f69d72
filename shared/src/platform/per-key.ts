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
  /** Makes a round for the key, at once or after the one that is being made. */
  wake(key: string): void;
  /** Resolves when no round is being made. */
  idle(): Promise<void>;
}

/** Works for many keys at the same time, for each one round at a time, until the signal aborts. */
export function perKey({ work, failing, log }: KeyedWork, signal: AbortSignal): PerKey {
  const busy = new Map<string, Promise<void>>();
  const again = new Set<string>();

  function wake(key: string): void {
    if (signal.aborted) return;
    if (busy.has(key)) return void again.add(key);
    const round = work(key)
      .catch((err: unknown) => {
        if (!signal.aborted) log.error({ err, key }, failing);
      })
      .finally(() => {
        busy.delete(key);
        if (again.delete(key)) wake(key);
      });
    busy.set(key, round);
  }

  return {
    wake,
    async idle() {
      while (busy.size > 0) await Promise.all(busy.values());
    },
  };
}
