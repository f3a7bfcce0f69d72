import { insertApiKey } from "@svc/control-plane/accounts/keys/api-keys.store.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { insertUser } from "@svc/control-plane/accounts/users.store.ts";
import { apiKeyPrefix, hashApiKey, makeApiKey } from "@svc/control-plane/accounts/keys/api-key.ts";
import { newId } from "@svc/shared/rules/ids.ts";

/** A user, and a key that may do all that the user may. */
export async function addKey(
  db: Db,
  email = `${newId()}@example.test`,
): Promise<{ userId: string; keyId: string; key: string }> {
  const userId = newId();
  await insertUser(db, { id: userId, email, tier: "team", emailVerifiedAt: new Date() });
  const key = makeApiKey();
  const keyId = newId();
  await insertApiKey(db, {
    id: keyId,
    userId,
    teamId: userId,
    name: "test",
    prefix: apiKeyPrefix(key),
    hash: hashApiKey(key),
    scopes: null,
    apps: null,
    expiresAt: null,
  });
  return { userId, keyId, key };
}
