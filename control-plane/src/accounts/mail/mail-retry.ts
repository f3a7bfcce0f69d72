/** A server that defers mail from unknown senders mostly takes it after a minute. */
const RETRY_MS_FIRST = 30_000;
/** A server that was away for long must not take more than an hour to get what waited for it. */
const RETRY_MS_MAX = 3_600_000;
/** The links of a mail have mostly ended by then. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/**
 * The pause before the next attempt: 30 s, doubled each time, up to an hour.
 * @param attempts that were made, 1 or more
 * @param ageMs time since the mail was queued. Milliseconds.
 * @returns milliseconds; undefined when the mail is to be given up, a day after it was queued
 */
export function retryDelayMs(attempts: number, ageMs: number): number | undefined {
  const delayMs = Math.min(RETRY_MS_FIRST * 2 ** (attempts - 1), RETRY_MS_MAX);
  return ageMs + delayMs > GIVE_UP_AFTER_MS ? undefined : delayMs;
}
