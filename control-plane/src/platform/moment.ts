import { invalid, quoted } from "./invalid.ts";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 };
const DURATION = /^([0-9]{1,6})([smhd])$/;
/** RFC 3339, section 5.6. */
const TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/i;

/**
 * A time that a request gives: RFC 3339, or how long ago.
 * @param name of the parameter
 * @throws SvcError invalid_request
 */
export function toMoment(name: string, text: string, now: Date): Date {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== undefined) return new Date(Math.max(0, now.getTime() - Number(count) * UNITS_MS[unit]!));
  const day = TIME.exec(text)?.[1];
  const time = new Date(text);
  // A 30th of February would be taken for a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  if (isDay && time.getTime() >= 0) return time;
  throw invalid(
    `\`${name}\` is ${quoted(text)}; it must be a time with its zone (RFC 3339), such as 2026-01-31T12:00:00Z, or how long ago, ` +
      "such as 90s, 30m, 2h or 7d. In an address a + is written %2B.",
  );
}
