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

/**
 * The redactors that were asked for last. Making one takes half a second for the most secrets that an app can have, and
 * logs are read as often as somebody likes.
 */
export class Redactors {
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Kept>();

  /** A redactor of these secrets, in the order in which they come. */
  of(secrets: readonly string[]): Redactor {
    const key = createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
    const found = this.#kept.get(key) ?? { redactor: new Redactor(secrets), units: unitsOf(secrets) };
    this.#kept.delete(key);
    this.#kept.set(key, found);
    this.#dropOldest();
    return found.redactor;
  }

  #dropOldest(): void {
    let sum = [...this.#kept.values()].reduce((total, { units }) => total + units, 0);
    for (const [oldest, { units }] of this.#kept) {
      if (sum <= KEPT_UNITS_MAX) break;
      this.#kept.delete(oldest);
      sum -= units;
    }
  }
}

/** Estimates the room of a redactor; one without secrets takes some as well. */
function unitsOf(secrets: readonly string[]): number {
  return secrets.reduce((sum, { length }) => sum + length, 1_000);
}
