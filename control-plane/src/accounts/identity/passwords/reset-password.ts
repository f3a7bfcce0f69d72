import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { checkEmail } from "../../email.ts";
import { markEmailVerified } from "../../users.store.ts";
import { auditPerson } from "../audit-person.ts";
import { resetMail, waysStayMail } from "../../mail/mail-text.ts";
import type { Identity } from "../identity.ts";
import { endJoinInvitations } from "../joining/join-invitations.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { readConnections } from "../oidc/connections.store.ts";
import { providerName } from "../oidc/list-connections.ts";
import { deleteAttempts } from "../oidc/oidc-attempts.store.ts";
import { hashToken, isToken, linkWithToken, makeToken } from "../one-time-token.ts";
import { deleteChallenges, readPasskeys } from "../passkeys/passkeys.store.ts";
import { lockPerson, readPerson, readPersonByEmail, writePassword } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { deleteSessions } from "../sessions/sessions.store.ts";
import { deleteUnconfirmedTwoFactor } from "../second-factor/two-factors.store.ts";
import { deleteVerifications, insertVerification, readVerification, takeVerification } from "../verifications.store.ts";
import { checkPassword } from "./password-rules.ts";

const RESET_SECONDS = 3600;

/** Mails a link, where there is such an account. @throws SvcError invalid_request, rate_limited */
export async function askForReset(identity: Identity, visit: Visit, { email }: { email: string }): Promise<void> {
  checkEmail(email);
  const { db, service, baseUrl } = identity;
  await limitAttempts(db, "reset", email);
  identity.runLater(() =>
    inTransaction(db, async (tx) => {
      const found = await readPersonByEmail(tx, email);
      const person = found && (await lockPerson(tx, found.id));
      // While it waited for the lock the address may have changed: the former one gets no link.
      if (person?.email !== found?.email || !person) return;
      const token = makeToken();
      const tokenHash = hashToken(token);
      await insertVerification(tx, { purpose: "reset", tokenHash, userId: person.id, seconds: RESET_SECONDS });
      await auditPerson(tx, visit, person.id, { action: "user.ask_reset" });
      await identity.sendMail(tx, person.email, resetMail({ service, link: linkWithToken(baseUrl, "reset", token) }));
    }),
  );
}

/**
 * Sets a new password for the owner of a mailed link, which proves the address, and ends all sessions. It signs nobody in:
 * a second factor is asked for at the sign-in. Passkeys and connected providers stay, and a mail lists them (decision 027).
 * @throws SvcError link_invalid, invalid_request
 */
export async function resetPassword(
  identity: Identity,
  visit: Visit,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { db, hashes } = identity;
  const tokenHash = hashToken(token);
  const userId = isToken(token) ? await readVerification(db, "reset", tokenHash) : undefined;
  const owner = userId === undefined ? undefined : await readPerson(db, userId);
  if (!owner) throw invalidLink();
  checkPassword(password, owner.email);
  const { hashPassword } = await identity.engine();
  const passwordHash = await hashes.run(() => hashPassword(password));

  await inTransaction(db, async (tx) => {
    const person = await lockPerson(tx, owner.id);
    if (!person || (await takeVerification(tx, "reset", tokenHash)) === undefined) throw invalidLink();
    await writePassword(tx, person.id, passwordHash);
    await markEmailVerified(tx, person.id);
    // Links that were mailed before, and sign-ins that wait for a code, knew the old password.
    for (const purpose of ["reset", "second-factor", "address"] as const) {
      await deleteVerifications(tx, purpose, person.id);
    }
    await deleteChallenges(tx, person.id);
    await deleteUnconfirmedTwoFactor(tx, person.id);
    await deleteAttempts(tx, person.id);
    await endJoinInvitations(tx, person.email);
    const endedSessions = await deleteSessions(tx, person.id);
    await auditPerson(tx, visit, person.id, {
      action: "user.reset_password",
      detail: { ended_sessions: endedSessions },
    });
    const passkeys = (await readPasskeys(tx, person.id)).map(({ name }) => name);
    const providers = (await readConnections(tx, person.id)).map(({ issuer }) => providerName(identity.oidc, issuer));
    if (passkeys.length + providers.length > 0) {
      await identity.sendMail(tx, person.email, waysStayMail({ service: identity.service, passkeys, providers }));
    }
  });
}

function invalidLink(): SvcError {
  return new SvcError("link_invalid", "This link was used already, or has expired. Ask for a new one.");
}
