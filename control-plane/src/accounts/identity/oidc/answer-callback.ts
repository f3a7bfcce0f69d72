import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { hashToken } from "../one-time-token.ts";
import { removedCookie, type Visit } from "../sessions/session.ts";
import { attemptCookie, hasState, readAttempt, type Attempt } from "./attempt.ts";
import { finishConnection } from "./finish-connection.ts";
import { takeAttempt, type AttemptRow } from "./oidc-attempts.store.ts";
import { Refused, unlessRefused, type Landing } from "./refused.ts";
import { signInPage, signInSubject } from "./sign-in-subject.ts";

/**
 * Ends what a browser has begun at a provider: it is that very browser, it has the state, and it comes once.
 * @param query of the redirect URI
 * @throws Refused when it is not, SvcError rate_limited
 */
export async function answerCallback(
  identity: Identity,
  visit: Visit,
  { provider: id, query }: { provider: string; query: Readonly<Record<string, string>> },
): Promise<Landing> {
  const provider = identity.oidc.find(id);
  const cookie = attemptCookie(identity.cookie);
  const attempt = readAttempt(visit.headers, cookie);
  // It is not counted: any page can send browsers here, and without the cookie there is nothing to guess.
  if (!attempt) throw new Refused("expired");
  await limitAttempts(identity.db, "address", visit.address);
  const begun = await requireBegun(identity, attempt, { id, state: query["state"] ?? "" });
  const page = begun.userId === null ? signInPage(begun.redirectTo) : begun.redirectTo;
  const landing = await unlessRefused(page, async () => {
    const client = await identity.oidc.client(provider);
    const proven = await client.proveSubject(new URLSearchParams(query), attempt);
    return begun.userId === null
      ? signInSubject(identity, visit, { provider, proven, redirectTo: begun.redirectTo })
      : finishConnection(identity, visit, { provider, proven, userId: begun.userId, page });
  });
  return { ...landing, cookies: [...landing.cookies, removedCookie(cookie)] };
}

/** A wrong state takes nothing, so that a link from elsewhere does not end what the person has begun. */
async function requireBegun(
  { db }: Identity,
  attempt: Attempt,
  { id, state }: { id: string; state: string },
): Promise<AttemptRow> {
  const begun = hasState(attempt, state) ? await takeAttempt(db, hashToken(attempt.token)) : undefined;
  if (begun?.provider !== id) throw new Refused("expired");
  return begun;
}
