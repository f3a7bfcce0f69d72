/** A token bucket: it holds `burst` tokens at most and gains `perMinute` of them each minute. A request takes one. */
export interface Rate {
  perMinute: number;
  burst: number;
}

/** Requests that change something, and those that don't: each kind of a user has a bucket of its own. */
export type RequestKind = "writes" | "reads";

/** The write rate of a tier that sets none. */
export const DEFAULT_WRITE_RATE: Rate = { perMinute: 10, burst: 5 };

/**
 * How long until a request is granted again, in whole seconds, at least one.
 * @param missing tokens that the bucket lacks for it, above 0 and at most 1
 */
export function retryAfterSeconds(missing: number, { perMinute }: Rate): number {
  return Math.max(1, Math.ceil((missing * 60) / perMinute));
}
