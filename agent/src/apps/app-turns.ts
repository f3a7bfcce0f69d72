import { createSerializer } from "../platform/serialize.ts";

/** AppTurns has one thing done to an app at a time, so that nothing that is asked of it is worked against. */
export interface AppTurns {
  /**
   * Begins when what was asked of the app before has ended: of a stop and a start the one that came last counts. Work
   * that only waits for the app to listen ends its waiting (`superseded`).
   */
  take<T>(appId: string, work: (superseded: AbortSignal) => Promise<T>): Promise<T>;
  /** Does what the agent wants by itself, unless something is asked of the app: whoever asks knows better. */
  takeUnlessAsked(appId: string, work: () => Promise<void>): Promise<void>;
}

export function createAppTurns(): AppTurns {
  const oneAtATime = createSerializer();
  const newest = new Map<string, AbortController>();
  return {
    async take(appId, work) {
      newest.get(appId)?.abort();
      const own = new AbortController();
      newest.set(appId, own);
      return oneAtATime(appId, () => work(own.signal)).finally(() => {
        if (newest.get(appId) === own) newest.delete(appId);
      });
    },
    async takeUnlessAsked(appId, work) {
      if (!newest.has(appId)) await oneAtATime(appId, work);
    },
  };
}
