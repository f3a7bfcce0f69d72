import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { invalid, quoted } from "../../../platform/invalid.ts";
import { revokeOwnApiKey, type ApiKeyRow } from "../../keys/api-keys.store.ts";
import { makeKey } from "../../keys/make-key.ts";
import { keyMadeMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { requireOpenSession } from "../sessions/require-open-session.ts";
import type { Session, Visit } from "../sessions/session.ts";

/** What a page sends for a new key. */
export interface AskedKey {
  name: string;
  /** Id of a team; the personal one when absent. */
  team?: string | undefined;
  scopes?: string[] | undefined;
  apps?: string[] | undefined;
  /** An ISO 8601 time. */
  expires_at?: string | undefined;
}

/**
 * Makes a key that acts as the caller in one of their teams. Its value is shown this once. A key can't do this, so that one
 * that got out makes no others.
 * @throws SvcError email_not_verified, invalid_request, not_found, key_limit, rate_limited
 */
export async function makeOwnKey(
  identity: Identity,
  visit: Visit,
  session: Session,
  asked: AskedKey,
): Promise<ApiKeyRow & { value: string }> {
  if (!session.emailVerified) {
    throw new SvcError("email_not_verified", "Verify your e-mail address first: until then no key can be made.");
  }
  const { userId, email } = session;
  const { name, team: teamId = userId, scopes = null, apps = null } = asked;
  const expiresAt = asked.expires_at === undefined ? null : endOf(asked.expires_at, identity.clock.now());
  await limitAttempts(identity.db, "key", userId);
  return inTransaction(identity.db, async (tx) => {
    await requireOpenSession(tx, session);
    const key = await makeKey(tx, { userId, teamId, name, scopes, apps, expiresAt });
    const detail = { name, team_id: teamId, scopes: key.scopes, apps: key.apps, expires_at: asked.expires_at ?? null };
    const target = `key:${key.id}`;
    await auditPerson(tx, visit, userId, { action: "key.create", target, detail, teamId });
    await identity.sendMail(tx, email, keyMadeMail({ service: identity.service, name, prefix: key.prefix }));
    return key;
  });
}

function endOf(text: string, now: Date): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && time.getTime() > now.getTime()) return time;
  throw invalid(`expires_at is ${quoted(text)}: give a time to come, such as 2030-01-31T12:00:00Z, or leave it out.`);
}

/** Refuses the key from now on. @throws SvcError not_found */
export async function revokeOwnKey(identity: Identity, visit: Visit, { userId }: Session, id: string): Promise<void> {
  await inTransaction(identity.db, async (tx) => {
    const key = isId(id) ? await revokeOwnApiKey(tx, userId, id) : undefined;
    if (!key) throw new SvcError("not_found", "You have no key with this id.");
    const target = `key:${id}`;
    await auditPerson(tx, visit, userId, {
      action: "key.revoke",
      target,
      teamId: key.team_id,
      detail: { name: key.name },
    });
  });
}
