/**
 * Yields what several sources yield, as it comes. Ends, or throws, as soon as one of them does.
 * @param stop ends the others then, and all when the reader leaves
 */
export async function* merge<T>(sources: readonly AsyncIterable<T>[], stop: AbortController): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (at: number) => iterators[at]!.next().then((result) => ({ at, result }));
  const pending = iterators.map((_, at) => next(at));
  try {
    for (;;) {
      const { at, result } = await Promise.race(pending);
      if (result.done) return;
      pending[at] = next(at);
      yield result.value;
    }
  } finally {
    stop.abort();
    await Promise.allSettled(pending);
    await Promise.allSettled(iterators.map((iterator) => iterator.return?.()));
  }
}
