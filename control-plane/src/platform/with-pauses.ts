/** Yields what the source yields, and undefined each time that it was silent for `ms`. The source begins at once. */
export function withPauses<T>(source: AsyncGenerator<T>, ms: number): AsyncGenerator<T | undefined> {
  const first = source.next();
  // Told to whoever reads; nobody may.
  first.catch(() => undefined);
  return pauses(source, first, ms);
}

async function* pauses<T>(
  source: AsyncGenerator<T>,
  first: Promise<IteratorResult<T>>,
  ms: number,
): AsyncGenerator<T | undefined> {
  let next: Promise<IteratorResult<T>> | undefined = first;
  try {
    for (;;) {
      next ??= source.next();
      const result = await orPause(next, ms);
      if (result === "pause") {
        yield undefined;
        continue;
      }
      next = undefined;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    // A source that is waited for ends when that is over: whoever leaves early aborts it.
    next?.catch(() => undefined);
    const ended = source.return(undefined);
    if (next) ended.catch(() => undefined);
    else await ended;
  }
}

/** What the work gives, or that it takes longer. */
export async function orPause<T>(work: Promise<T>, ms: number): Promise<T | "pause"> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<"pause">((resolve) => (timer = setTimeout(resolve, ms, "pause")));
  return Promise.race([work, pause]).finally(() => clearTimeout(timer));
}
