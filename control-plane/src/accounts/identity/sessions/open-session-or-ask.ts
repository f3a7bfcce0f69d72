import type { Db } from "../../../platform/database/database.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { hashToken, makeToken } from "../one-time-token.ts";
import { openSession, type NewSession } from "./open-session.ts";
import type { Person } from "../people.store.ts";
import { insertVerification } from "../verifications.store.ts";

/** Time to find one's phone. */
const CHALLENGE_SECONDS = 10 * 60;

/** A cookie for a session, or the challenge that a code of the second factor answers. */
export type SignedIn = { cookie: string } | { challenge: string };

/** Opens a session for a person whose row is locked, or asks for the second factor that they have. */
export async function openSessionOrAsk(
  identity: Identity,
  tx: Db,
  { person, ...parts }: Omit<NewSession, "userId"> & { person: Person },
): Promise<SignedIn> {
  const { id: userId } = person;
  if (!person.hasSecondFactor) return { cookie: await openSession(identity, tx, { ...parts, userId }) };
  const challenge = makeToken();
  const tokenHash = hashToken(challenge);
  await insertVerification(tx, { purpose: "second-factor", tokenHash, userId, seconds: CHALLENGE_SECONDS });
  await auditPerson(tx, parts.visit, userId, { action: "session.challenge", detail: { how: parts.how } });
  return { challenge };
}
