/** Tells everyone who waits that something worth a new status has happened. */
export class Changes {
  #waiters = new Set<(isNews?: boolean) => void>();

  notify(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiters) wake(true);
  }

  /** Resolves at the next change, after `ms`, or when the signal aborts; it never rejects. @returns whether it is a change */
  next(ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (): void => wake();
      const wake = (isNews = false): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#waiters.delete(wake);
        resolve(isNews);
      };
      const timer = setTimeout(end, ms);
      this.#waiters.add(wake);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}
