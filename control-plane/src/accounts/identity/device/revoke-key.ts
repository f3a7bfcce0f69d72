import { insertAudit } from "../../../platform/audit.store.ts";
import { inTransaction } from "../../../platform/database/database.ts";
import { hashApiKey, isApiKey } from "../../keys/api-key.ts";
import { readKeyOwner, revokeApiKey } from "../../keys/api-keys.store.ts";
import type { Identity } from "../identity.ts";
import type { Visit } from "../sessions/session.ts";

/** Revokes the key that the request is sent with. A key that is not valid needs no more (RFC 7009, section 2.2). */
export async function revokeOwnKey({ db }: Identity, visit: Visit): Promise<void> {
  const key = /^Bearer +(\S+)$/i.exec(visit.headers.get("Authorization") ?? "")?.[1];
  if (key === undefined || !isApiKey(key)) return;
  const owner = await readKeyOwner(db, hashApiKey(key));
  if (!owner) return;
  const { keyId, userId, teamId } = owner;
  await inTransaction(db, async (tx) => {
    const key = await revokeApiKey(tx, keyId);
    const [actor, detail] = [`key:${keyId}`, { name: key?.name, user_id: userId, address: visit.address }];
    const { requestId } = visit;
    await insertAudit(tx, { actor, action: "key.revoke", target: actor, requestId, ownerId: teamId, detail });
  });
}
