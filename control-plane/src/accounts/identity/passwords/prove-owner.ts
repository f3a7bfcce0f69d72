import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { readPerson, type Person } from "../people.store.ts";
import { useCode } from "../second-factor/check-code.ts";
import type { Session } from "../sessions/session.ts";
import { checkCredentials, lockProven, type ProvenPerson } from "./check-credentials.ts";

/** What shows that the owner of an account is there, and not just their session. */
export interface Proof {
  /** Of whoever has one. */
  password?: string | undefined;
  /** Of whoever has a second factor: an authenticator's, or a recovery code. */
  code?: string | undefined;
}

/** Locks the person's row until the transaction ends. @throws SvcError credentials_invalid when the proof holds no more */
type LockOwner = (tx: Db) => Promise<Person>;

/** A sign-in by a provider or a passkey counts as the password of somebody who has none, for so long. */
const FRESH_MINUTES = 10;

/** Checks the password of somebody who is signed in. @throws SvcError credentials_invalid, rate_limited */
export async function checkOwnPassword(identity: Identity, session: Session, password: string): Promise<ProvenPerson> {
  // Not counted by address: whoever knows that could use up the attempts.
  await limitAttempts(identity.db, "ownPassword", session.userId);
  const person = await readPerson(identity.db, session.userId);
  if (person?.passwordHash === null) {
    throw new SvcError(
      "credentials_invalid",
      'The account has no password yet. Set one with "Forgot your password?" on the page Sign in, and do this again.',
    );
  }
  return checkCredentials(identity, person, password, "The password is wrong.");
}

/**
 * Checks that it is the account's owner who asks: by the password, or, where there is none, by a sign-in a moment ago. It is
 * enough for what leaves a second factor as it is.
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function proveOwner(
  identity: Identity,
  session: Session,
  password: string | undefined,
): Promise<LockOwner> {
  const person = await readPerson(identity.db, session.userId);
  if (person?.passwordHash !== null) {
    const proven = await checkOwnPassword(identity, session, password ?? "");
    return (tx) => lockProven(tx, proven);
  }
  if (identity.clock.now().getTime() - session.createdAt.getTime() > FRESH_MINUTES * 60_000) {
    throw new SvcError(
      "credentials_invalid",
      `The account has no password, so this can be done for ${FRESH_MINUTES} minutes after a sign-in. Sign out, and sign in again.`,
    );
  }
  return (tx) => lockProven(tx, person);
}

/**
 * The same with a code of the second factor, where there is one: for what takes its place, or ends it.
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function proveOwnerFully(
  identity: Identity,
  session: Session,
  { password, code = "" }: Proof,
): Promise<LockOwner> {
  const lockOwner = await proveOwner(identity, session, password);
  // Whoever has the session alone must not use up the codes that its owner signs in with.
  if (session.hasSecondFactor) await limitAttempts(identity.db, "code", session.userId);
  return async (tx) => {
    const person = await lockOwner(tx);
    if (person.hasSecondFactor) await useCode(identity, tx, person.id, code);
    return person;
  };
}
