import { SvcError } from "@svc/shared/errors.ts";

/** A call that waits for a deploy looks at it again and again. */
export const CALLS_OF_USER_MAX = 10;
const RETRY_AFTER_SECONDS = 10;

/** The calls that are being answered, by user and in this process. */
export class McpCalls {
  readonly #open = new Map<string, number>();

  /**
   * Takes a place, until what it returns is called; calling that again does nothing.
   * @throws SvcError too_many_streams
   */
  take(userId: string): () => void {
    const open = this.#open.get(userId) ?? 0;
    if (open >= CALLS_OF_USER_MAX) {
      const sentence = `${open} calls of yours are open: wait for the end of one, then try again.`;
      throw new SvcError("too_many_streams", sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#open.set(userId, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#open.get(userId) ?? 1) - 1;
      if (left === 0) this.#open.delete(userId);
      else this.#open.set(userId, left);
    };
  }
}
