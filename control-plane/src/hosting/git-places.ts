import { SvcError } from "@svc/shared/errors.ts";

/** git needs some 30 MB for each. */
export const PLACES_MAX = 32;

/** The rest is for the deploys' own clones: no visitor makes a deploy fail. */
const PLACES_OF_USERS_MAX = 24;

/** A build server clones a few at once; one that clones slowly leaves places for everybody else. */
export const PLACES_OF_USER_MAX = 8;

let taken = 0;
/** By user; those of the deploys are not in here. */
const takenBy = new Map<string, number>();

/**
 * Takes one of the process's places for a git, until what it returns is called.
 * @param userId who asks; undefined for a deploy
 * @throws SvcError rate_limited
 */
export function takeGitPlace(userId: string | undefined): () => void {
  const own = userId === undefined ? 0 : (takenBy.get(userId) ?? 0);
  if (own >= PLACES_OF_USER_MAX) throw busy(`You have ${own} clones and pushes running`);
  if (taken >= (userId === undefined ? PLACES_MAX : PLACES_OF_USERS_MAX)) throw busy("Too many clones and pushes run");
  taken += 1;
  if (userId !== undefined) takenBy.set(userId, own + 1);
  return () => {
    taken -= 1;
    if (userId === undefined) return;
    const left = takenBy.get(userId)! - 1;
    if (left > 0) takenBy.set(userId, left);
    else takenBy.delete(userId);
  };
}

function busy(what: string): SvcError {
  return new SvcError("rate_limited", `${what} at this moment: try again in a few seconds.`, { retryAfterSeconds: 5 });
}
