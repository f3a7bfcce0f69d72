import { SvcError } from "@svc/shared/errors.ts";

/** git needs some 30 MB for each, and a hostile repository what its bounds allow. */
export const PLACES_MAX = 16;

/** Places for users; the rest is kept for the clones of deploys, so that no user makes a deploy fail. */
export const PLACES_OF_USERS_MAX = 12;

/** A build server clones a few at once; one that clones slowly leaves places for everybody else. */
export const PLACES_OF_USER_MAX = 4;

/** Most clones of a source take less; git itself does not try again when it is refused. */
const WAIT_MS_MAX = 10_000;

/** Requests that wait hold a connection each, and nothing else. */
export const WAITING_OF_USER_MAX = 8;
export const WAITING_OF_USERS_MAX = 64;

/** A few for each server that deploys, in a queue of their own: visitors who wait make no deploy fail. */
export const WAITING_OF_DEPLOYS_MAX = 64;

interface Waiter {
  userId: string | undefined;
  enter(): void;
}

let taken = 0;
/** Places taken by user; those of the deploys are not in here. */
const takenBy = new Map<string, number>();
/** The waiting callers, in the order in which they came. */
const waiting: Waiter[] = [];

/**
 * Takes one of the process's places for a git, until the function that it resolves to is called. Where none is free it
 * waits for one, for 10 s at most.
 * @param userId who asks; undefined for a deploy
 * @throws SvcError rate_limited; the signal's reason when it is aborted
 */
export async function takeGitPlace(userId: string | undefined, signal?: AbortSignal): Promise<() => void> {
  signal?.throwIfAborted();
  if (!hasRoomFor(userId)) await waitForRoom(userId, signal);
  else take(userId);
  return () => leave(userId);
}

function hasRoomFor(userId: string | undefined): boolean {
  if (userId === undefined) return taken < PLACES_MAX;
  return taken < PLACES_OF_USERS_MAX && (takenBy.get(userId) ?? 0) < PLACES_OF_USER_MAX;
}

function take(userId: string | undefined): void {
  taken += 1;
  if (userId !== undefined) takenBy.set(userId, (takenBy.get(userId) ?? 0) + 1);
}

function leave(userId: string | undefined): void {
  taken -= 1;
  if (userId !== undefined) {
    const left = takenBy.get(userId)! - 1;
    if (left > 0) takenBy.set(userId, left);
    else takenBy.delete(userId);
  }
  const next = waiting.find((waiter) => hasRoomFor(waiter.userId));
  next?.enter();
}

function mayWait(userId: string | undefined): boolean {
  const own = waiting.filter((waiter) => waiter.userId === userId).length;
  if (userId === undefined) return own < WAITING_OF_DEPLOYS_MAX;
  const ofUsers = waiting.filter((waiter) => waiter.userId !== undefined).length;
  return own < WAITING_OF_USER_MAX && ofUsers < WAITING_OF_USERS_MAX;
}

/** Resolves when the place has been taken. */
async function waitForRoom(userId: string | undefined, signal: AbortSignal | undefined): Promise<void> {
  if (!mayWait(userId)) throw busy(userId);
  await new Promise<void>((resolve, reject) => {
    const settle = (end: () => void): void => {
      waiting.splice(waiting.indexOf(waiter), 1);
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      end();
    };
    const giveUp = (): void => settle(() => reject(signal!.reason as Error));
    const waiter = {
      userId,
      enter: () =>
        settle(() => {
          take(userId);
          resolve();
        }),
    };
    const timer = setTimeout(() => settle(() => reject(busy(userId))), WAIT_MS_MAX);
    signal?.addEventListener("abort", giveUp, { once: true });
    waiting.push(waiter);
  });
}

function busy(userId: string | undefined): SvcError {
  const own = userId === undefined ? 0 : (takenBy.get(userId) ?? 0);
  const what =
    own >= PLACES_OF_USER_MAX ? `You have ${own} clones and pushes running` : "Too many clones and pushes run";
  return new SvcError("rate_limited", `${what} at this moment: try again in a few seconds.`, { retryAfterSeconds: 5 });
}
