import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../../platform/database/database.ts";
import { makeKey, type NewKey } from "../../keys/make-key.ts";
import { keyMadeMail } from "../../mail/mail-text.ts";
import { auditPerson } from "../audit-person.ts";
import type { Identity } from "../identity.ts";
import { readPerson } from "../people.store.ts";
import type { Visit } from "../sessions/session.ts";
import { OAuthError } from "./oauth-error.ts";

/**
 * Makes a key for a device or a program that a person has allowed, and tells the person by mail, who may have been misled.
 * @param facts about the request that was allowed, for the activity
 * @throws OAuthError access_denied when the person has as many keys as anybody may, or has left the team
 */
export async function giveKey(
  { service, sendMail }: Identity,
  tx: Db,
  visit: Visit,
  wanted: NewKey,
  facts: Readonly<Record<string, unknown>>,
): Promise<{ id: string; value: string }> {
  const { userId, teamId, name, scopes } = wanted;
  const key = await makeAllowedKey(tx, wanted);
  const detail = { name, user_id: userId, team_id: teamId, scopes, ...facts };
  await auditPerson(tx, visit, userId, { action: "key.create", target: `key:${key.id}`, teamId, detail });
  const person = await readPerson(tx, userId);
  if (person) await sendMail(tx, person.email, keyMadeMail({ service, name, prefix: key.prefix }));
  return key;
}

async function makeAllowedKey(tx: Db, key: NewKey) {
  try {
    return await makeKey(tx, key);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new OAuthError("access_denied", error.message);
  }
}
