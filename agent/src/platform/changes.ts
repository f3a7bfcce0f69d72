/** Tells everyone who waits that something worth a new status has happened. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** @returns ends that the listener is told */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves at the next change, after `ms`, or when the signal aborts; it never rejects. @returns whether it is a change */
  next(ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isNews: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        unsubscribe();
        resolve(isNews);
      };
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, ms);
      const unsubscribe = this.subscribe(() => end(true));
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
