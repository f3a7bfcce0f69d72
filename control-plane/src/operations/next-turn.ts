let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller has. Whoever wakes many followers waits for it first, so that
 * requests are answered between one log's followers and the next one's, and not after all of them.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}
