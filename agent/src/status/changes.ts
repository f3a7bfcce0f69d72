/** Tells everyone who waits that something worth a new status has happened. */
export class Changes {
  #waiters = new Set<() => void>();

  notify(): void {
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiters) wake();
  }

  /** Resolves at the next change, after `ms`, or when the signal aborts; it never rejects. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiters.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}
