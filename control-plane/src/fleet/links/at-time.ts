/** The longest that setTimeout takes, 24.8 days; a longer one would fire at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** Calls `run` once at `time`, however far away; does not keep the process alive. Returns the function that cancels. */
export function atTime(time: Date, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const remainingMs = time.getTime() - Date.now();
    timer = setTimeout(remainingMs > TIMEOUT_MS_MAX ? arm : run, Math.min(Math.max(remainingMs, 0), TIMEOUT_MS_MAX));
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}

/** Resolves at `time`; gives the timer up when `over` comes first. */
export function untilTime(time: Date, over: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = atTime(time, resolve);
    void over.then(cancel);
  });
}
