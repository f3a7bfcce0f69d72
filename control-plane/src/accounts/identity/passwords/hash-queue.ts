import { SvcError } from "@svc/shared/errors.ts";
import { AtMost } from "../../../platform/at-most.ts";

/** Each takes 90 ms of a processor and 32 MiB: more at once would starve everything else. */
const AT_ONCE = 2;
/** Some 2 s of waiting; who comes later is told to come back. */
const WAITING_MAX = 40;
const RETRY_SECONDS = 5;

/** Lets two passwords be hashed at a time in this process. */
export class HashQueue {
  readonly #places = new AtMost(AT_ONCE);
  #open = 0;

  /** @throws SvcError rate_limited when too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#open >= AT_ONCE + WAITING_MAX) {
      throw new SvcError("rate_limited", `Too many people sign in at this moment. Try again in ${RETRY_SECONDS} s.`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    this.#open += 1;
    try {
      return await this.#places.run(work);
    } finally {
      this.#open -= 1;
    }
  }
}
