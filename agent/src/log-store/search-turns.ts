import { SvcError } from "@svc/shared/errors.ts";
import { createSerializer } from "../platform/serialize.ts";
import type { AppRef } from "../ports.ts";

/** Searches of all apps at a time: a processor is left for what else the agent does. */
const AT_ONCE = 2;
/** Searches of one app that go on or wait. */
const OF_APP_MAX = 4;

/** One search of an app at a time, and few of all apps, so that none slows the apps down. */
export class SearchTurns {
  readonly #serialize = createSerializer();
  readonly #ofApp = new Map<string, number>();
  #count = 0;

  /** @throws SvcError too_many_streams; the signal's reason when it aborts before its turn; what `work` throws */
  async take<T>(app: AppRef, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#ofApp.get(app.id) ?? 0;
    if (before >= OF_APP_MAX) {
      const sentence = `${before} searches of the log of ${app.name} go on or wait: wait for one of them, then try again.`;
      throw new SvcError("too_many_streams", sentence);
    }
    this.#ofApp.set(app.id, before + 1);
    try {
      return await this.#serialize(app.id, async () => {
        signal.throwIfAborted();
        this.#count += 1;
        return this.#serialize(`place ${this.#count % AT_ONCE}`, async () => {
          signal.throwIfAborted();
          return work();
        });
      });
    } finally {
      const left = this.#ofApp.get(app.id)! - 1;
      if (left > 0) this.#ofApp.set(app.id, left);
      else this.#ofApp.delete(app.id);
    }
  }
}
