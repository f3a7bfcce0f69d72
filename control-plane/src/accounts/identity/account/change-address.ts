import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction, isUniqueViolation } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import { checkEmail } from "../../email.ts";
import { accountExistsMail, addressChangedMail, changeOfAddressMail } from "../../mail/mail-text.ts";
import { readUserByEmail } from "../../users.store.ts";
import { requireDomain } from "../joining/sign-up-policy.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { hashToken, isToken, linkWithToken, makeToken } from "../one-time-token.ts";
import { proveOwner } from "../passwords/prove-owner.ts";
import { lockPerson, writeAddress } from "../people.store.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deleteVerifications, insertVerification, takeAddress } from "../verifications.store.ts";

const CHANGE_SECONDS = 3600;

/**
 * Mails a link to the new address, which takes the place of the old one when it is opened. Whether somebody else has that address
 * is told to that address alone.
 * @throws SvcError credentials_invalid, invalid_request, rate_limited, sign_up_closed
 */
export async function askForAddress(
  identity: Identity,
  visit: Visit,
  session: Session,
  { password, email }: { password?: string | undefined; email: string },
): Promise<void> {
  checkEmail(email);
  if (email.toLowerCase() === session.email.toLowerCase()) throw invalid(`${email} is your address already.`);
  requireDomain(identity.signUp, email);
  const { db, service, baseUrl } = identity;
  await limitAttempts(db, "mail", email);
  const lockOwner = await proveOwner(identity, session, password);
  const token = makeToken();
  await inTransaction(db, async (tx) => {
    const { id: userId } = await lockOwner(tx);
    await auditPerson(tx, visit, userId, { action: "user.ask_address", detail: { new_address: email } });
    if (await readUserByEmail(tx, email)) {
      return identity.sendMail(tx, email, accountExistsMail({ service, link: `${baseUrl}/sign-in` }));
    }
    await deleteVerifications(tx, "address", userId);
    const tokenHash = hashToken(token);
    await insertVerification(tx, { purpose: "address", tokenHash, userId, seconds: CHANGE_SECONDS, address: email });
    const link = linkWithToken(baseUrl, "address", token);
    await identity.sendMail(tx, email, changeOfAddressMail({ service, oldAddress: session.email, link }));
  });
}

/** Takes the address that a link was mailed to; both are told. It needs no session. @throws SvcError link_invalid */
export async function takeNewAddress(identity: Identity, visit: Visit, { token }: { token: string }): Promise<void> {
  const { db, service } = identity;
  await inTransaction(db, async (tx) => {
    const taken = isToken(token) ? await takeAddress(tx, hashToken(token)) : undefined;
    const person = taken && (await lockPerson(tx, taken.userId));
    if (!person) throw invalidLink();
    const [oldAddress, newAddress] = [person.email, taken.address];
    await writeAddress(tx, person.id, newAddress);
    // Links that wait at the old address must not open the account any more.
    for (const purpose of ["reset", "verify"] as const) await deleteVerifications(tx, purpose, person.id);
    const detail = { old_address: oldAddress, new_address: newAddress };
    await auditPerson(tx, visit, person.id, { action: "user.change_address", detail });
    const mail = addressChangedMail({ service, oldAddress, newAddress });
    for (const address of [oldAddress, newAddress]) await identity.sendMail(tx, address, mail);
  }).catch((error: unknown) => {
    // Somebody else has taken it since it was asked for.
    throw isUniqueViolation(error, "users_email") ? invalidLink() : error;
  });
}

function invalidLink(): SvcError {
  return new SvcError("link_invalid", "This link was used already, or has expired. Ask for the change again.");
}
