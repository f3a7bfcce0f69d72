import { inTransaction } from "../../platform/database/database.ts";
import { checkEmail } from "../email.ts";
import { auditPerson } from "./audit-person.ts";
import type { Identity } from "./identity.ts";
import { limitAttempts } from "./attempts/limit-attempts.ts";
import { hashToken, makeToken } from "./one-time-token.ts";
import { openSession } from "./open-session.ts";
import { checkCredentials, lockProven } from "./passwords/check-credentials.ts";
import { readPersonByEmail } from "./people.store.ts";
import type { Visit } from "./session.ts";
import { insertVerification } from "./verifications.store.ts";

/** Time to find one's phone. */
const CHALLENGE_SECONDS = 10 * 60;

/** A cookie for a session, or the challenge that a code of the second factor answers. */
export type SignedIn = { cookie: string } | { challenge: string };

/** @throws SvcError invalid_request for a malformed address, credentials_invalid, rate_limited */
export async function signIn(
  identity: Identity,
  visit: Visit,
  { email, password }: { email: string; password: string },
): Promise<SignedIn> {
  const { db } = identity;
  checkEmail(email);
  await limitAttempts(db, "password", email);
  const proven = await checkCredentials(identity, await readPersonByEmail(db, email), password);
  const engine = await identity.engine();
  return inTransaction(db, async (tx) => {
    const person = await lockProven(tx, proven);
    if (!person.hasSecondFactor)
      return { cookie: await openSession(identity, tx, { engine, visit, userId: person.id, how: "password" }) };
    const challenge = makeToken();
    const tokenHash = hashToken(challenge);
    await insertVerification(tx, {
      purpose: "second-factor",
      tokenHash,
      userId: person.id,
      seconds: CHALLENGE_SECONDS,
    });
    await auditPerson(tx, visit, person.id, { action: "session.challenge" });
    return { challenge };
  });
}
