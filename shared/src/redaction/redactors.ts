import { createHash } from "node:crypto";
import { Redactor } from "./redact.ts";

/** Room for four to twelve apps with the most secrets that one can have (64 values of 8 KiB, twice). Most take a hundredth. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

/** The room of a redactor without secrets. */
const BASE_BYTES = 10_000;

/**
 * The redactors that were asked for last. Making one takes up to half a second for the most secrets that an app can
 * have, and logs are read as often as somebody likes.
 */
export class Redactors {
  /** The one that was asked for last comes last. */
  readonly #kept = new Map<string, Redactor>();
  readonly #bytesMax: number;

  constructor(bytesMax = KEPT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** A redactor of these secrets, in the order in which they come. */
  of(secrets: readonly string[]): Redactor {
    const key = createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
    const redactor = this.#kept.get(key) ?? new Redactor(secrets);
    this.#kept.delete(key);
    this.#kept.set(key, redactor);
    this.#dropOldest();
    return redactor;
  }

  /** The last one stays, however large it is. */
  #dropOldest(): void {
    let sum = [...this.#kept.values()].reduce((total, redactor) => total + roomOf(redactor), 0);
    for (const [oldest, redactor] of this.#kept) {
      if (sum <= this.#bytesMax || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
      sum -= roomOf(redactor);
    }
  }
}

function roomOf({ bytes }: Redactor): number {
  return BASE_BYTES + bytes;
}
