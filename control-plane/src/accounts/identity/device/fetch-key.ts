import { inTransaction, type Db } from "../../../platform/database/database.ts";
import type { Form } from "../../../platform/http/form.ts";
import { lockTeam } from "../../teams/teams.store.ts";
import { limitAttempts } from "../attempts/limit-attempts.ts";
import type { Identity } from "../identity.ts";
import { hashToken } from "../one-time-token.ts";
import type { Visit } from "../sessions/session.ts";
import { requireOwnClient, requireParameter } from "./client.ts";
import { notePoll, takeApproved } from "./device-codes.store.ts";
import { giveKey } from "./give-key.ts";
import { OAuthError } from "./oauth-error.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
/** As long as the name of a key may be. */
const KEY_NAME_LENGTH_MAX = 60;

/**
 * Answers a poll (RFC 8628, sections 3.4 and 3.5): once the person has approved, with a key that is made in the transaction that
 * uses the code up. `scope` is left out of the answer when the key has no scopes, as the request had none.
 * @throws OAuthError; SvcError rate_limited
 */
export async function fetchKey(identity: Identity, visit: Visit, form: Form) {
  const { db } = identity;
  const grantType = requireParameter(form, "grant_type");
  if (grantType !== GRANT_TYPE) throw new OAuthError("unsupported_grant_type", `The only grant type is ${GRANT_TYPE}.`);
  requireOwnClient(form);
  const codeHash = hashToken(requireParameter(form, "device_code"));
  await limitAttempts(db, "devicePoll", visit.address);
  const { id, teamId } = await requireApproved(db, codeHash);

  return inTransaction(db, async (tx) => {
    // Before the code, as a removal from the team does: the removal ends this key, or the key is not made.
    const team = await lockTeam(tx, teamId);
    const approved = await takeApproved(tx, id);
    if (!approved) throw unknownCode();
    const { userId, deviceName, scopes } = approved;
    if (!team || userId === null) throw noMember();
    const name = (deviceName === null ? "svc" : `svc on ${deviceName}`).slice(0, KEY_NAME_LENGTH_MAX).toWellFormed();
    const wanted = { userId, teamId, name, scopes, apps: null, expiresAt: null };
    const key = await giveKey(identity, tx, visit, wanted, { device: id });
    return {
      access_token: key.value,
      token_type: "Bearer",
      ...(scopes && { scope: scopes.join(" ") }),
      team: { id: teamId, name: team.name },
    };
  });
}

async function requireApproved(db: Db, codeHash: Buffer): Promise<{ id: string; teamId: string }> {
  const poll = await inTransaction(db, (tx) => notePoll(tx, codeHash));
  if (!poll) throw unknownCode();
  if (poll.hasExpired) throw new OAuthError("expired_token", "The device code has expired. Ask for a new one.");
  if (poll.isTooSoon) throw new OAuthError("slow_down", "Wait 5 seconds longer between two requests.");
  if (poll.status === "pending") throw new OAuthError("authorization_pending", "Nobody has answered the request yet.");
  if (poll.status === "denied") throw new OAuthError("access_denied", "The request was denied.");
  if (poll.teamId === null) throw noMember();
  return { id: poll.id, teamId: poll.teamId };
}

function unknownCode(): OAuthError {
  return new OAuthError("invalid_grant", "The device code is unknown, or was used already. Ask for a new one.");
}

function noMember(): OAuthError {
  return new OAuthError("access_denied", "Whoever approved the request is not in the team any more.");
}
