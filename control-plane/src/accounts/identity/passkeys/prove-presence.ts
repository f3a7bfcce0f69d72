import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction, type Db } from "../../../platform/database/database.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { checkCredentials, lockProven } from "../passwords/check-credentials.ts";
import { lockPerson, readPerson, type Person } from "../people.store.ts";
import { useCode } from "../second-factor/check-code.ts";
import type { Session } from "../session.ts";

/** What shows that the person is there, and not just their session. */
export interface Proof {
  /** Of whoever has one. */
  password?: string | undefined;
  /** Of whoever has a second factor: an authenticator's, or a recovery code. */
  code?: string | undefined;
}

/** So long is a sign-in a proof itself, for whoever has no password. */
const FRESH_SESSION_MS = 10 * 60_000;

/**
 * Lets `work` change how the caller signs in. A passkey takes the place of password and second factor, so both are asked for;
 * whoever has no password must have signed in within the last ten minutes.
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function withPresence<T>(
  identity: Identity,
  session: Session,
  { password = "", code = "" }: Proof,
  work: (tx: Db, person: Person) => Promise<T>,
): Promise<T> {
  const { db } = identity;
  const person = await readPerson(db, session.userId);
  if (person?.hasSecondFactor) await limitAttempts(db, "code", person.id);
  if (person?.passwordHash === null) requireFreshSession(session, identity.clock.now());
  else await limitAttempts(db, "password", session.email);
  const proven = person?.passwordHash === null ? undefined : await checkCredentials(identity, person, password);
  return inTransaction(db, async (tx) => {
    const locked = proven ? await lockProven(tx, proven) : await lockPerson(tx, session.userId);
    // A password that was set meanwhile must be given.
    if (!locked || (!proven && locked.passwordHash !== null)) throw signInAgain();
    if (locked.hasSecondFactor) await useCode(identity, tx, locked.id, code);
    return work(tx, locked);
  });
}

function requireFreshSession({ createdAt }: Session, now: Date): void {
  if (now.getTime() - createdAt.getTime() > FRESH_SESSION_MS) throw signInAgain();
}

function signInAgain(): SvcError {
  return new SvcError(
    "credentials_invalid",
    "You signed in more than 10 minutes ago. Sign out, sign in again, and then change your passkeys.",
  );
}
