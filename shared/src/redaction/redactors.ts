import { createHash } from "node:crypto";
import { Redactor } from "./redact.ts";

/**
 * Two apps with the most secrets that one can have (64 values of 8 KiB, twice): at most 88 MB of search tables, mostly half
 * of it. Most apps have a thousandth.
 */
const KEPT_CHARACTERS_MAX = 8_000_000;

/** The room of a redactor without secrets. */
const BASE_CHARACTERS = 1_000;

/**
 * The redactors that were asked for last. Making one takes half a second for the most secrets that an app can have, and
 * logs are read as often as somebody likes.
 */
export class Redactors {
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Redactor>();

  /** A redactor of these secrets, in the order in which they come. */
  of(secrets: readonly string[]): Redactor {
    const key = createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
    const redactor = this.#kept.get(key) ?? new Redactor(secrets);
    this.#kept.delete(key);
    this.#kept.set(key, redactor);
    this.#dropOldest();
    return redactor;
  }

  #dropOldest(): void {
    let sum = [...this.#kept.values()].reduce((total, redactor) => total + roomOf(redactor), 0);
    for (const [oldest, redactor] of this.#kept) {
      if (sum <= KEPT_CHARACTERS_MAX) break;
      this.#kept.delete(oldest);
      sum -= roomOf(redactor);
    }
  }
}

function roomOf({ size }: Redactor): number {
  return BASE_CHARACTERS + size;
}
