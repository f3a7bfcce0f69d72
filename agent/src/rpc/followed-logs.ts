import { SvcError } from "@svc/shared/errors.ts";
import type { AppRef } from "../ports.ts";

/**
 * A control plane follows each of an app's two logs once, for all who look at it; the others are for operators, and for a
 * link that is being replaced, whose calls go on for a while.
 */
export const FOLLOWED_MAX = 8;

/** Counts who follows a log of an app: each costs a stream of the engine. */
export class FollowedLogs {
  readonly #byApp = new Map<string, number>();

  /** Takes a place, until what it returns is called. @throws SvcError too_many_streams */
  take({ id, name }: AppRef): () => void {
    const taken = this.#byApp.get(id) ?? 0;
    if (taken >= FOLLOWED_MAX) {
      throw new SvcError(
        "too_many_streams",
        `${taken} calls follow the logs of ${name}: end one of them, then try again.`,
      );
    }
    this.#byApp.set(id, taken + 1);
    return () => {
      const left = this.#byApp.get(id)! - 1;
      if (left > 0) this.#byApp.set(id, left);
      else this.#byApp.delete(id);
    };
  }
}
