/** A tab that was opened in the background draws its page when somebody looks. */
const AGE_MS_MAX = 10_000;

/**
 * Begins a load at once, before the page's content is drawn, so that it takes its round trip beside others. The first who
 * loads gets its outcome, unless 10 seconds have passed; it is loaded anew from then on.
 */
export function early<T>(load: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined = load();
  const begunAt = performance.now();
  // A page that shows nothing of it, as for a person who is not signed in, has no use for its failure.
  begun.catch(() => undefined);
  return () => {
    const isOld = performance.now() - begunAt > AGE_MS_MAX;
    const loading = begun === undefined || isOld ? load() : begun;
    begun = undefined;
    return loading;
  };
}
