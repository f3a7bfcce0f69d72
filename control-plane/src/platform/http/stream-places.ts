import { SvcError } from "@svc/shared/errors.ts";

/** Several people with a few terminals and pages each, behind the keys of one user. */
export const STREAMS_OF_USER_MAX = 50;
/** Twice what a team looks at when its app is down; one app's log is not to fill all places of its owner. */
export const STREAMS_OF_APP_MAX = 20;
/** Each costs some 60 KB, and a few hundred when it is slow: together less than what a small host has to spare. */
export const STREAMS_MAX = 2_000;
/** A page that was closed frees its place at once. */
const RETRY_AFTER_SECONDS = 10;

/**
 * The places of this process for streams that go on until somebody leaves. By process, since what they use up is its
 * memory: behind a balancer that spreads requests, two processes have twice as many.
 */
export class StreamPlaces {
  #taken = 0;
  readonly #byUser = new Map<string, number>();
  readonly #byApp = new Map<string, number>();

  /**
   * Takes a place, until what it returns is called; calling that again does nothing.
   * @throws SvcError too_many_streams
   */
  take({ userId, appId }: { userId: string; appId: string }): () => void {
    const [ofUser, ofApp] = [this.#byUser.get(userId) ?? 0, this.#byApp.get(appId) ?? 0];
    if (ofApp >= STREAMS_OF_APP_MAX) throw full(`${ofApp} streams of this app's logs and deploys are`);
    if (ofUser >= STREAMS_OF_USER_MAX) throw full(`${ofUser} streams of yours are`);
    if (this.#taken >= STREAMS_MAX) throw full(`All ${STREAMS_MAX} streams of this server are`);
    this.#add(userId, appId, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(userId, appId, -1);
      isTaken = false;
    };
  }

  #add(userId: string, appId: string, change: 1 | -1): void {
    this.#taken += change;
    count(this.#byUser, userId, change);
    count(this.#byApp, appId, change);
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const left = (counts.get(key) ?? 0) + change;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

function full(what: string): SvcError {
  return new SvcError("too_many_streams", `${what} open: close one of them, then try again.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
