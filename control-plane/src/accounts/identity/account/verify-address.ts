import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { markEmailVerified } from "../../users.store.ts";
import { auditPerson } from "../audit-person.ts";
import { verifyMail } from "../../mail/mail-text.ts";
import type { Identity } from "../identity.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { hashToken, isToken, linkWithToken, makeToken } from "../one-time-token.ts";
import { lockPerson } from "../people.store.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deleteVerifications, insertVerification, takeVerification } from "../verifications.store.ts";

const VERIFICATION_SECONDS = 24 * 3600;

/** Mails the caller a link that proves their address, unless it is proven. @throws SvcError rate_limited */
export async function askForVerification(identity: Identity, visit: Visit, session: Session): Promise<void> {
  if (session.emailVerified) return;
  const { db, service, baseUrl } = identity;
  await limitAttempts(db, "mail", session.email);
  const token = makeToken();
  await inTransaction(db, async (tx) => {
    const { userId, email } = session;
    await insertVerification(tx, {
      purpose: "verify",
      tokenHash: hashToken(token),
      userId,
      seconds: VERIFICATION_SECONDS,
    });
    await auditPerson(tx, visit, userId, { action: "user.ask_verification" });
    await identity.sendMail(tx, email, verifyMail({ service, link: linkWithToken(baseUrl, "verify", token) }));
  });
}

/** Takes the address as verified that a link was mailed to. It needs no session. @throws SvcError link_invalid */
export async function verifyAddress({ db }: Identity, visit: Visit, { token }: { token: string }): Promise<void> {
  await inTransaction(db, async (tx) => {
    const userId = isToken(token) ? await takeVerification(tx, "verify", hashToken(token)) : undefined;
    if (userId === undefined || !(await lockPerson(tx, userId))) {
      throw new SvcError("link_invalid", "This link was used already, or has expired. Ask for a new one.");
    }
    await markEmailVerified(tx, userId);
    await deleteVerifications(tx, "verify", userId);
    await auditPerson(tx, visit, userId, { action: "user.verify" });
  });
}
