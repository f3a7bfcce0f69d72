import { randomBytes } from "node:crypto";
import { inTransaction } from "../../../platform/database/database.ts";
import { invalid } from "../../../platform/invalid.ts";
import { sealContext } from "../../../ports.ts";
import { auditPerson } from "../audit-person.ts";
import { factorChangedMail } from "../../mail/mail-text.ts";
import type { Identity } from "../identity.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { proveOwner, proveOwnerFully, type Proof } from "../passwords/prove-owner.ts";
import { lockPerson, writeHasSecondFactor } from "../people.store.ts";
import { requireOpenSession } from "../sessions/require-open-session.ts";
import type { Session, Visit } from "../sessions/session.ts";
import { deleteSessions } from "../sessions/sessions.store.ts";
import { deleteVerifications } from "../verifications.store.ts";
import { hashRecoveryCode, useCode, wrongCode } from "./check-code.ts";
import { base32, TOTP_SECRET_BYTES, totpUri } from "./totp.ts";
import { beginTwoFactor, confirmTwoFactor, deleteTwoFactor, readTwoFactor } from "./two-factors.store.ts";

const RECOVERY_CODES = 10;
/** 80 bits: SHA-256 alone keeps them from being guessed. */
const RECOVERY_CODE_BYTES = 10;

/**
 * Makes the secret that the caller's authenticator app is given; it does nothing until a code has been entered.
 * @throws SvcError credentials_invalid, invalid_request when there is a second factor, rate_limited
 */
export async function beginSecondFactor(
  identity: Identity,
  visit: Visit,
  session: Session,
  { password }: { password?: string | undefined },
): Promise<{ secret: string; uri: string }> {
  const secret = randomBytes(TOTP_SECRET_BYTES);
  const lockOwner = await proveOwner(identity, session, password);
  await inTransaction(identity.db, async (tx) => {
    const person = await lockOwner(tx);
    const sealed = identity.keyRing.seal(secret.toString("base64"), sealContext.secondFactor(person.id));
    if (!(await beginTwoFactor(tx, person.id, sealed))) {
      throw invalid("There is a second factor already. Remove it first.");
    }
    await auditPerson(tx, visit, person.id, { action: "second_factor.begin" });
  });
  const issuer = new URL(identity.baseUrl).hostname;
  return { secret: base32(secret), uri: totpUri(secret, { issuer, account: session.email }) };
}

/**
 * Turns the second factor on. Other sessions are ended, which were opened without it.
 * @returns the recovery codes, which nobody can read again
 * @throws SvcError credentials_invalid, rate_limited
 */
export async function confirmSecondFactor(
  identity: Identity,
  visit: Visit,
  session: Session,
  { code }: { code: string },
): Promise<string[]> {
  const { userId, sessionId } = session;
  await limitAttempts(identity.db, "code", userId);
  const codes = Array.from({ length: RECOVERY_CODES }, makeRecoveryCode);
  await inTransaction(identity.db, async (tx) => {
    const person = await lockPerson(tx, userId);
    await requireOpenSession(tx, session);
    const factor = await readTwoFactor(tx, userId);
    if (!person || !factor || factor.confirmed_at !== null) throw wrongCode();
    await useCode(identity, tx, userId, code);
    await confirmTwoFactor(tx, userId, codes.map(hashRecoveryCode));
    await writeHasSecondFactor(tx, userId, true);
    const endedSessions = await deleteSessions(tx, userId, sessionId);
    await auditPerson(tx, visit, userId, {
      action: "second_factor.confirm",
      detail: { ended_sessions: endedSessions },
    });
    const { service } = identity;
    await identity.sendMail(tx, person.email, factorChangedMail({ service, factor: "totp", isOn: true }));
  });
  return codes;
}

/** @throws SvcError credentials_invalid for a wrong password or code, rate_limited */
export async function removeSecondFactor(
  identity: Identity,
  visit: Visit,
  session: Session,
  proof: Proof,
): Promise<void> {
  const lockOwner = await proveOwnerFully(identity, session, proof);
  await inTransaction(identity.db, async (tx) => {
    const { id, email, hasSecondFactor } = await lockOwner(tx);
    if (!hasSecondFactor) throw wrongCode();
    await deleteTwoFactor(tx, id);
    await writeHasSecondFactor(tx, id, false);
    await deleteVerifications(tx, "second-factor", id);
    await auditPerson(tx, visit, id, { action: "second_factor.remove" });
    const { service } = identity;
    await identity.sendMail(tx, email, factorChangedMail({ service, factor: "totp", isOn: false }));
  });
}

function makeRecoveryCode(): string {
  return (base32(randomBytes(RECOVERY_CODE_BYTES)).match(/.{4}/g) ?? []).join("-");
}
