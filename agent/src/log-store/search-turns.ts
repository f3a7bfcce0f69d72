import { SvcError } from "@svc/shared/errors.ts";
import type { OwnedApp } from "../ports.ts";

/** Searches of all apps at a time: a processor is left for what else the agent does. */
const AT_ONCE = 2;
/** Searches that go on or wait: of one app, of one owner's apps, and of the host. Each that waits holds a call open. */
const OF_APP_MAX = 4;
const OF_OWNER_MAX = 8;
const OF_HOST_MAX = 40;
/** The control plane waits for 30 s, of which a search that got its turn may take 10. */
const WAIT_MS_MAX = 15_000;

interface Search {
  app: OwnedApp;
  /** The lowest has the next turn. */
  rank: number;
  hasBegun: boolean;
  begin: () => void;
}

/**
 * One search of an app at a time, and few of all apps, so that none slows the apps down. Owners take turns: each further
 * search of one ranks behind the first ones of all others.
 */
export class SearchTurns {
  readonly #waitMsMax: number;
  /** Searches that go on or wait, in the order in which they came. */
  readonly #searches = new Set<Search>();
  /** The highest rank that has begun. */
  #rank = 0;

  constructor({ waitMsMax = WAIT_MS_MAX } = {}) {
    this.#waitMsMax = waitMsMax;
  }

  /**
   * @throws SvcError too_many_streams, also when its turn does not come in time; the signal's reason when it aborts before its
   * turn; what `work` throws
   */
  async take<T>(app: OwnedApp, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    this.#requireRoom(app);
    const turn = Promise.withResolvers<void>();
    const search: Search = { app, rank: this.#nextRankOf(app), hasBegun: false, begin: turn.resolve };
    const onAbort = (): void => turn.reject(signal.reason);
    const timer = setTimeout(() => turn.reject(waitedTooLong(app)), this.#waitMsMax);
    signal.addEventListener("abort", onAbort);
    this.#searches.add(search);
    try {
      this.#beginNext();
      await turn.promise.finally(() => clearTimeout(timer));
      return await work();
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#searches.delete(search);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    const going = [...this.#searches].filter(({ hasBegun }) => hasBegun);
    if (going.length >= AT_ONCE) return;
    const busy = new Set(going.map(({ app }) => app.id));
    const waiting = [...this.#searches].filter(({ app, hasBegun }) => !hasBegun && !busy.has(app.id));
    const [next] = waiting.toSorted((a, b) => a.rank - b.rank);
    if (!next) return;
    next.hasBegun = true;
    this.#rank = Math.max(this.#rank, next.rank);
    next.begin();
  }

  #nextRankOf({ ownerId }: OwnedApp): number {
    const own = [...this.#searches].filter(({ app }) => app.ownerId === ownerId);
    return 1 + own.reduce((highest, { rank }) => Math.max(highest, rank), this.#rank);
  }

  #requireRoom({ id, name, ownerId }: OwnedApp): void {
    const all = [...this.#searches];
    const ofApp = all.filter(({ app }) => app.id === id).length;
    const ofOwner = all.filter(({ app }) => app.ownerId === ownerId).length;
    if (ofApp >= OF_APP_MAX) throw tooMany(`${ofApp} searches of the log of ${name} go on or wait`);
    if (ofOwner >= OF_OWNER_MAX) throw tooMany(`${ofOwner} searches of logs of the apps of its team go on or wait`);
    if (all.length >= OF_HOST_MAX) throw tooMany(`${all.length} searches of logs go on or wait on the server`);
  }
}

function tooMany(what: string): SvcError {
  return new SvcError("too_many_streams", `${what}: wait for one of them, then try again.`);
}

function waitedTooLong({ name }: OwnedApp): SvcError {
  return tooMany(`The search of the log of ${name} waited too long for others that go on`);
}
