/** A token bucket: it holds `burst` tokens at most and gains `perMinute` of them each minute. A write takes one. */
export interface WriteRate {
  perMinute: number;
  burst: number;
}

/** Specification, Limits: Write rate. */
export const DEFAULT_WRITE_RATE: WriteRate = { perMinute: 10, burst: 5 };

/**
 * How long until a write is granted again, in whole seconds, at least one.
 * @param missing tokens that the bucket lacks for a write, above 0 and at most 1
 */
export function retryAfterSeconds(missing: number, { perMinute }: WriteRate): number {
  return Math.max(1, Math.ceil((missing * 60) / perMinute));
}
