/**
 * Begins a load at once, before the page's content is drawn, so that it takes its round trip beside others. The first who
 * loads gets its outcome; it is loaded anew from then on.
 */
export function early<T>(load: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined = load();
  // A page that shows nothing of it, as for a person who is not signed in, has no use for its failure.
  begun.catch(() => undefined);
  return () => {
    const loading = begun ?? load();
    begun = undefined;
    return loading;
  };
}
