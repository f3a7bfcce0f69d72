import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Identity } from "../identity.ts";
import { lockPerson, type Person } from "../people.store.ts";

/** No password has this hash. It is compared where there is no account, which takes as long as a wrong password does. */
const NOBODYS_HASH = `${"0".repeat(32)}:${"0".repeat(128)}`;

const WRONG = "The e-mail address or the password is wrong.";

/** Somebody whose password was given. */
export type ProvenPerson = Person & { passwordHash: string };

/**
 * @param refusal is the sentence that refuses
 * @throws SvcError credentials_invalid, after the same time and with the same words whether there is such an account
 */
export async function checkCredentials(
  { hashes, engine }: Identity,
  person: Person | undefined,
  password: string,
  refusal = WRONG,
): Promise<ProvenPerson> {
  const { verifyPassword } = await engine();
  const passwordHash = person?.passwordHash ?? null;
  const fits = await hashes.run(() => verifyPassword(passwordHash ?? NOBODYS_HASH, password));
  if (!person || passwordHash === null || !fits) throw wrongCredentials(refusal);
  return { ...person, passwordHash };
}

/**
 * Locks the person, and refuses when the password was changed since it was checked: a session that is opened after a
 * reset would outlive it.
 * @throws SvcError credentials_invalid
 */
export async function lockProven(tx: Db, proven: Person): Promise<Person> {
  const person = await lockPerson(tx, proven.id);
  if (person?.passwordHash !== proven.passwordHash) throw wrongCredentials();
  return person;
}

function wrongCredentials(refusal = WRONG): SvcError {
  return new SvcError("credentials_invalid", refusal);
}
