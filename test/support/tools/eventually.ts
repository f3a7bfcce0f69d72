import { setTimeout as delay } from "node:timers/promises";

export interface EventuallyOptions {
  /** Is for the message when it never happens. */
  what: string;
  deadlineMs?: number;
  /** The deadline itself is what is tested. Any other is only there to end a test: it is three times as long. */
  isPromised?: boolean;
  /** The pause between two looks. Unless it is given: a twentieth of the time that has passed, 25 to 100. */
  intervalMs?: number;
}

/** A machine that is busy with other tests is so many times slower. */
const PATIENCE = 3;

/** Looks again and again until the value is as wanted; when the deadline passes it fails with the last value seen. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  { what, deadlineMs = 10_000, isPromised = false, intervalMs }: EventuallyOptions,
): Promise<T> {
  const startedAt = Date.now();
  const limitMs = isPromised ? deadlineMs : deadlineMs * PATIENCE;
  const deadline = startedAt + limitMs;
  for (;;) {
    const value = await look();
    if (isWanted(value)) return value;
    if (Date.now() > deadline) {
      const seen = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
      throw new Error(`not within ${limitMs} ms: ${what}; last seen: ${seen?.slice(0, 2000)}`);
    }
    await delay(intervalMs ?? Math.max(25, Math.min((Date.now() - startedAt) / 20, 100)));
  }
}
