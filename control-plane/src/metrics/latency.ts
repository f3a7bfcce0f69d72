import { LATENCY_BOUNDS_MS } from "@svc/shared/rules/metrics/latency-buckets.ts";

/**
 * The latency that this share of the requests did not exceed, in milliseconds, as if those of a bucket were spread evenly in
 * it; null without any request. What took longer than the last bound is given as that.
 * @param counts by bucket (latency-buckets.ts)
 * @param share 0.99 for the 99th percentile
 */
export function percentileMs(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (before + count >= rank) {
      const from = LATENCY_BOUNDS_MS[place - 1] ?? 0;
      const to = LATENCY_BOUNDS_MS[place] ?? from;
      return from + (to - from) * ((rank - before) / count);
    }
    before += count;
  }
  return null;
}

/** Adds counts place by place. */
export function addCounts(a: readonly number[], b: readonly number[]): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((count, place) => count + (shorter[place] ?? 0));
}
