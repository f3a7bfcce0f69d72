import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../../platform/database/database.ts";

/** Somebody at a provider: the two values that stay, as OpenID Connect Core, section 5.7, has them. */
export interface Subject {
  issuer: string;
  subject: string;
}

export interface ConnectionRow extends Subject {
  id: string;
  createdAt: Date;
}

/** Before the issuer, in the column that says what sort of way in a row is. */
const PREFIX = "oidc:";

export async function readConnections(db: Db, userId: string): Promise<ConnectionRow[]> {
  const rows = await db
    .selectFrom("accounts")
    .select(["id", "provider_id", "account_id as subject", "created_at as createdAt"])
    .where("user_id", "=", userId)
    .where("provider_id", "like", `${PREFIX}%`)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, provider_id, subject, createdAt }) => {
    return { id, issuer: provider_id.slice(PREFIX.length), subject, createdAt };
  });
}

/** Whose account that is; undefined while it is nobody's. */
export async function readConnectedUser(db: Db, { issuer, subject }: Subject): Promise<string | undefined> {
  const row = await db
    .selectFrom("accounts")
    .select("user_id")
    .where("provider_id", "=", PREFIX + issuer)
    .where("account_id", "=", subject)
    .executeTakeFirst();
  return row?.user_id;
}

/** Is false when it is somebody's already, also when another transaction has just done that. */
export async function insertConnection(tx: Db, userId: string, { issuer, subject }: Subject): Promise<boolean> {
  const row = await tx
    .insertInto("accounts")
    .values({ id: newId(), user_id: userId, provider_id: PREFIX + issuer, account_id: subject, password: null })
    .onConflict((conflict) => conflict.columns(["provider_id", "account_id"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteConnection(tx: Db, userId: string, id: string): Promise<void> {
  await tx.deleteFrom("accounts").where("user_id", "=", userId).where("id", "=", id).execute();
}
