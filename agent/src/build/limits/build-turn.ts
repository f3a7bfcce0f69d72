/**
 * One build at a time: two at once take longer than one after the other, and the engine holds its limits over the sum
 * of all builds.
 */
export class BuildTurn {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /**
   * Runs `build` when all that came before have ended. Calls `onWait` once if that is not now.
   * @throws the signal's reason when aborted while it waits
   */
  async take<T>(signal: AbortSignal, onWait: () => void, build: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise<void>((resolve) => (end = resolve)).then(() => before);
    if (this.#waiting > 0) onWait();
    this.#waiting += 1;
    try {
      await orAborted(before, signal);
      return await build();
    } finally {
      this.#waiting -= 1;
      end();
    }
  }
}

function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}
