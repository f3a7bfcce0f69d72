import { inTransaction } from "../../../platform/database/database.ts";
import type { Identity } from "../identity.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { hashToken, isToken } from "../one-time-token.ts";
import { openSession } from "../sessions/open-session.ts";
import { lockPerson } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { readVerification, takeVerification } from "../verifications.store.ts";
import { useCode, wrongCode } from "./check-code.ts";

/**
 * Ends a sign-in that waits for a code.
 * @returns the header Set-Cookie
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function answerChallenge(
  identity: Identity,
  visit: Visit,
  { challenge, code }: { challenge: string; code: string },
): Promise<string> {
  const { db } = identity;
  const tokenHash = hashToken(challenge);
  const userId = isToken(challenge) ? await readVerification(db, "second-factor", tokenHash) : undefined;
  if (userId === undefined) throw wrongCode();
  await limitAttempts(db, "code", userId);
  const engine = await identity.engine();
  return inTransaction(db, async (tx) => {
    const person = await lockPerson(tx, userId);
    if (!person) throw wrongCode();
    await useCode(identity, tx, userId, code);
    // A reset ends the sign-ins that wait; it has locked the same person.
    if ((await takeVerification(tx, "second-factor", tokenHash)) === undefined) throw wrongCode();
    return openSession(identity, tx, { engine, visit, userId: userId, how: "second-factor" });
  });
}
