import { createHash } from "node:crypto";
import { Redactor } from "./redact.ts";

/**
 * Two apps with the most secrets that one can have (64 values of 8 KiB, twice): some 40 MB of search tables. Most apps
 * have a thousandth of it.
 */
const KEPT_UNITS_MAX = 2_200_000;

interface Kept {
  redactor: Redactor;
  units: number;
}

/** The one that was asked for last comes last. */
const kept = new Map<string, Kept>();

/**
 * A redactor of these secrets, in the order in which they come. Making one takes half a second for the most secrets that
 * an app can have, and logs are read as often as somebody likes: so the newest are kept.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const key = createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
  const found = kept.get(key) ?? { redactor: new Redactor(secrets), units: unitsOf(secrets) };
  kept.delete(key);
  kept.set(key, found);
  let sum = [...kept.values()].reduce((total, { units }) => total + units, 0);
  for (const [oldest, { units }] of kept) {
    if (sum <= KEPT_UNITS_MAX) break;
    kept.delete(oldest);
    sum -= units;
  }
  return found.redactor;
}

/** Also a redactor without secrets takes some room. */
function unitsOf(secrets: readonly string[]): number {
  return secrets.reduce((sum, { length }) => sum + length, 1_000);
}
