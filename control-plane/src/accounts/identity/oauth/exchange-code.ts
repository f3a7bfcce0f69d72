import { isId } from "@svc/shared/rules/ids.ts";
import { insertAudit } from "../../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../../platform/database/database.ts";
import type { Form } from "../../../platform/http/form.ts";
import { scopesOfRole } from "../../../platform/scope-roles.ts";
import { isScope } from "../../../platform/scope.ts";
import { revokeApiKey } from "../../keys/api-keys.store.ts";
import { readMemberships } from "../../teams/read-memberships.ts";
import { lockTeam } from "../../teams/teams.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import { requireParameter } from "../device/client.ts";
import { giveKey } from "../device/give-key.ts";
import { OAuthError } from "../device/oauth-error.ts";
import type { Identity } from "../identity.ts";
import { hashToken } from "../one-time-token.ts";
import type { Visit } from "../sessions/session.ts";
import { provesChallenge } from "./code-challenge.ts";
import { isOurResource } from "./metadata.ts";
import {
  forgetKeyOfCode,
  readClient,
  readCode,
  storeKeyOfCode,
  useCode,
  type StoredCode,
} from "./oauth-clients.store.ts";

const GRANT_TYPE = "authorization_code";
/** There are no refresh tokens: the person is asked again once a month. */
const KEY_SECONDS = 30 * 24 * 3_600;

/**
 * Gives a key for an authorization code (RFC 6749, 4.1.3), made in the transaction that uses the code up. A code that comes a second time
 * was seen by somebody else: the key that was made by it ends (4.1.2).
 * @throws OAuthError; SvcError rate_limited
 */
export async function exchangeCode(identity: Identity, visit: Visit, form: Form) {
  const { db, baseUrl } = identity;
  const grantType = requireParameter(form, "grant_type");
  if (grantType !== GRANT_TYPE) throw new OAuthError("unsupported_grant_type", `The only grant type is ${GRANT_TYPE}.`);
  const clientId = requireParameter(form, "client_id");
  const [code, verifier] = [requireParameter(form, "code"), requireParameter(form, "code_verifier")];
  const [redirectUri, resource] = [form.get("redirect_uri"), form.get("resource")];
  if (resource !== undefined && !isOurResource(baseUrl, resource)) {
    throw new OAuthError("invalid_target", `The resource is not this service: leave it out, or name ${baseUrl}/mcp.`);
  }
  await limitAttempts(db, "oauthToken", visit.address);
  if (!isId(clientId) || !(await readClient(db, clientId))) {
    throw new OAuthError("invalid_client", "No client is registered with this id. Register again.");
  }
  const codeHash = hashToken(code);
  const stored = await readCode(db, codeHash);
  if (!stored) throw unknownCode();
  if (stored.isUsed) return refuseReplay(db, visit, codeHash, stored);
  const isRight =
    stored.clientId === clientId &&
    // OAuth 2.1 leaves it out, since the verifier says who began.
    (redirectUri === undefined || stored.redirectUri === redirectUri) &&
    !stored.hasExpired &&
    provesChallenge(stored.challenge, verifier);
  // Which of them was wrong helps only somebody who guesses.
  if (!isRight) throw unknownCode();
  const made = await inTransaction(db, (tx) => makeKeyOf(identity, tx, visit, codeHash, stored));
  if (made) return made;
  const now = await readCode(db, codeHash);
  if (!now?.isUsed) throw unknownCode();
  return refuseReplay(db, visit, codeHash, now);
}

/** Is undefined when the code was used, or has ended, meanwhile. @throws OAuthError access_denied */
async function makeKeyOf(identity: Identity, tx: Db, visit: Visit, codeHash: Buffer, stored: StoredCode) {
  const { userId, teamId, clientId, clientName: name } = stored;
  // Before the code, as a removal from the team does: the removal ends this key, or the key is not made.
  await lockTeam(tx, teamId);
  if (!(await useCode(tx, codeHash))) return undefined;
  const role = (await readMemberships(tx, userId)).find((each) => each.teamId === teamId)?.role;
  const scopes = role === undefined ? [] : scopesOfRole(role, stored.scopes.filter(isScope));
  if (scopes.length === 0)
    throw new OAuthError("access_denied", "The person who allowed it may not do that any more. Ask them again.");
  const expiresAt = new Date(identity.clock.now().getTime() + KEY_SECONDS * 1000);
  const wanted = { userId, teamId, name, scopes, apps: null, expiresAt };
  const facts = { client: clientId, expires_at: expiresAt.toISOString() };
  const key = await giveKey(identity, tx, visit, wanted, facts);
  await storeKeyOfCode(tx, codeHash, key.id);
  return { access_token: key.value, token_type: "Bearer", expires_in: KEY_SECONDS, scope: scopes.join(" ") };
}

/** @throws OAuthError invalid_grant */
async function refuseReplay(db: Db, visit: Visit, codeHash: Buffer, stored: StoredCode): Promise<never> {
  const { keyId, userId, teamId, clientId } = stored;
  if (keyId !== null) {
    await inTransaction(db, async (tx) => {
      // The activity tells it once, however often somebody sends the code.
      if (!(await forgetKeyOfCode(tx, codeHash))) return;
      const key = await revokeApiKey(tx, keyId);
      const detail = {
        name: key?.name,
        user_id: userId,
        client: clientId,
        reason: "code used twice",
        address: visit.address,
      };
      const [actor, { requestId }] = [`key:${keyId}`, visit];
      await insertAudit(tx, { actor, action: "key.revoke", target: actor, requestId, ownerId: teamId, detail });
    });
  }
  throw unknownCode();
}

function unknownCode(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The code is unknown, used, older than 60 seconds, or not of this client, redirect_uri and code_verifier. Ask for a new one.",
  );
}
