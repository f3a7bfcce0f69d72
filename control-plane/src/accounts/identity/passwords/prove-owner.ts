import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { readPerson, type Person } from "../people.store.ts";
import type { Session } from "../session.ts";
import { checkCredentials, lockProven, type ProvenPerson } from "./check-credentials.ts";

/** Somebody without a password has signed in by a provider: that counts as its password for so long. */
const FRESH_MINUTES = 15;

/** Checks the password of somebody who is signed in. @throws SvcError credentials_invalid, rate_limited */
export async function checkOwnPassword(identity: Identity, session: Session, password: string): Promise<ProvenPerson> {
  await limitAttempts(identity.db, "password", session.email);
  const person = await readPerson(identity.db, session.userId);
  if (person?.passwordHash === null) {
    throw new SvcError(
      "credentials_invalid",
      'The account has no password yet. Set one with "Forgot your password?" on the page Sign in, and do this again.',
    );
  }
  return checkCredentials(identity, person, password);
}

/**
 * Checks that it is the account's owner who asks: by the password, or, where there is none, by a sign-in a moment ago.
 * @returns locks the person's row, as `lockProven` does
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function proveOwner(
  identity: Identity,
  session: Session,
  password: string | undefined,
): Promise<(tx: Db) => Promise<Person>> {
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
