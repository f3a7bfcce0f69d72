import { setTimeout as delay } from "node:timers/promises";

export interface EventuallyOptions {
  /** For the message when it never happens. */
  what: string;
  deadlineMs?: number;
  /** Between two looks at first; later a twentieth of the time that has passed, until `intervalMsMax` is reached. */
  intervalMs?: number;
  /** Where it is not given an `intervalMs` is kept to. */
  intervalMsMax?: number;
}

/** Looks again and again until the value is as wanted; when the deadline passes it fails with the last value seen. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  { what, deadlineMs = 10_000, intervalMs, intervalMsMax = intervalMs ?? 100 }: EventuallyOptions,
): Promise<T> {
  const startedAt = Date.now();
  const deadline = startedAt + deadlineMs;
  for (;;) {
    const value = await look();
    if (isWanted(value)) return value;
    if (Date.now() > deadline) {
      const seen = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
      throw new Error(`not within ${deadlineMs} ms: ${what}; last seen: ${seen?.slice(0, 2000)}`);
    }
    await delay(Math.max(intervalMs ?? 25, Math.min((Date.now() - startedAt) / 20, intervalMsMax)));
  }
}
