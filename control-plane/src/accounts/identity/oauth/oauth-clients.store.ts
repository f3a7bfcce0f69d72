import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";

export interface OAuthClient {
  id: string;
  /** As it calls itself. */
  name: string;
  redirectUris: string[];
}

export async function insertClient(db: Db, client: OAuthClient & { address: string }): Promise<void> {
  await db
    .insertInto("oauth_clients")
    .values({ id: client.id, name: client.name, redirect_uris: client.redirectUris, address: client.address })
    .execute();
}

/** Clients that nobody has allowed anything. @param max counts no further */
export async function countUnusedClients(db: Db, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from oauth_clients where used_at is null limit ${max}) unused
  `.execute(db);
  return rows[0]?.count ?? 0;
}

export async function readClient(db: Db, id: string): Promise<OAuthClient | undefined> {
  return db
    .selectFrom("oauth_clients")
    .select(["id", "name", "redirect_uris as redirectUris"])
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Whether the client is still there. It is kept from now on as long as it is used. */
export async function touchClient(tx: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("oauth_clients")
    .set({ used_at: sql<Date>`now()` })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface NewCode {
  codeHash: Buffer;
  clientId: string;
  userId: string;
  teamId: string;
  scopes: string[];
  redirectUri: string;
  challenge: string;
  seconds: number;
}

export async function insertCode(tx: Db, code: NewCode): Promise<void> {
  await tx
    .insertInto("oauth_codes")
    .values({
      code_hash: code.codeHash,
      client_id: code.clientId,
      user_id: code.userId,
      team_id: code.teamId,
      scopes: code.scopes,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      expires_at: sql<Date>`now() + ${code.seconds} * interval '1 second'`,
    })
    .execute();
}

export async function readCode(db: Db, codeHash: Buffer) {
  return db
    .selectFrom("oauth_codes as k")
    .innerJoin("oauth_clients as c", "c.id", "k.client_id")
    .select(["k.client_id as clientId", "c.name as clientName", "k.user_id as userId", "k.team_id as teamId"])
    .select(["k.scopes", "k.redirect_uri as redirectUri", "k.challenge", "k.key_id as keyId"])
    .select([sql<boolean>`k.expires_at <= now()`.as("hasExpired"), sql<boolean>`k.used_at is not null`.as("isUsed")])
    .where("k.code_hash", "=", codeHash)
    .executeTakeFirst();
}

/** `keyId` is the key that it became; null when there is none, or not any more. */
export type StoredCode = NonNullable<Awaited<ReturnType<typeof readCode>>>;

/** Uses a code up. Of several requests at once it is true for one; the others wait until that one has stored its key. */
export async function useCode(tx: Db, codeHash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("oauth_codes")
    .set({ used_at: sql<Date>`now()` })
    .where("code_hash", "=", codeHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Whether the code had become a key. Of several requests at once it is true for one. */
export async function forgetKeyOfCode(tx: Db, codeHash: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("oauth_codes")
    .set({ key_id: null })
    .where("code_hash", "=", codeHash)
    .where("key_id", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function storeKeyOfCode(tx: Db, codeHash: Buffer, keyId: string): Promise<void> {
  await tx.updateTable("oauth_codes").set({ key_id: keyId }).where("code_hash", "=", codeHash).execute();
}
