import { inTransaction } from "../../../platform/database/database.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { deleteAttempts } from "../oidc/oidc-attempts.store.ts";
import { deleteChallenges } from "../passkeys/passkeys.store.ts";
import { writePassword } from "../people.store.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deleteSessions } from "../sessions/sessions.store.ts";
import { deleteUnconfirmedTwoFactor } from "../second-factor/two-factors.store.ts";
import { deleteVerifications } from "../verifications.store.ts";
import { lockProven } from "./check-credentials.ts";
import { checkPassword } from "./password-rules.ts";
import { checkOwnPassword } from "./prove-owner.ts";

/**
 * Replaces the caller's password, and ends their other sessions.
 * @throws SvcError credentials_invalid for a wrong old one, invalid_request, rate_limited
 */
export async function changePassword(
  identity: Identity,
  visit: Visit,
  session: Session,
  { password, newPassword }: { password: string; newPassword: string },
): Promise<void> {
  const { db, hashes } = identity;
  checkPassword(newPassword, session.email);
  const proven = await checkOwnPassword(identity, session, password);
  const { hashPassword } = await identity.engine();
  const passwordHash = await hashes.run(() => hashPassword(newPassword));
  await inTransaction(db, async (tx) => {
    const person = await lockProven(tx, proven);
    await writePassword(tx, person.id, passwordHash);
    // Whoever knew the old password may have asked for another address.
    for (const purpose of ["reset", "second-factor", "address"] as const) {
      await deleteVerifications(tx, purpose, person.id);
    }
    await deleteChallenges(tx, person.id);
    await deleteUnconfirmedTwoFactor(tx, person.id);
    await deleteAttempts(tx, person.id);
    const endedSessions = await deleteSessions(tx, person.id, session.sessionId);
    await auditPerson(tx, visit, person.id, {
      action: "user.change_password",
      detail: { ended_sessions: endedSessions },
    });
  });
}
