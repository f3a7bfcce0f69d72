/** Two bounds are this far apart, so that a percentile is off by less than a fifth. */
const GROWTH = 2 ** (1 / 4);

/** From 1 ms to 65.5 s, beyond the longest that a browser waits. */
const BOUND_COUNT = 65;

/**
 * Latencies are counted by these buckets, so that counts of several windows may be added and a percentile of all of them be
 * read from the sum. A bucket holds what took longer than the bound before its own, and at most its own; one more holds the
 * rest. Milliseconds.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: BOUND_COUNT }, (_, place) => GROWTH ** place);

/** The number of buckets. */
export const LATENCY_BUCKETS = BOUND_COUNT + 1;

/** The place of the bucket that a latency is counted in. */
export function latencyBucket(milliseconds: number): number {
  const place = LATENCY_BOUNDS_MS.findIndex((bound) => milliseconds <= bound);
  return place === -1 ? BOUND_COUNT : place;
}
