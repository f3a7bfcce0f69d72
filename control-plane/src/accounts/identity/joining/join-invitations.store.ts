import { sql } from "kysely";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../../platform/database/database.ts";

export async function insertJoinInvitation(
  db: Db,
  { email, tokenHash, seconds }: { email: string; tokenHash: Buffer; seconds: number },
): Promise<{ expiresAt: Date }> {
  const row = await db
    .insertInto("invitations_to_join")
    .values({
      id: newId(),
      email,
      token_hash: tokenHash,
      expires_at: sql<Date>`now() + ${seconds} * interval '1 second'`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { expiresAt: row.expires_at };
}

/** Reads the address that a valid token was made for. */
export async function readJoinInvitation(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom("invitations_to_join")
    .select("email")
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return row?.email;
}

/** Whether the address has an invitation that can be used. */
export async function hasJoinInvitation(db: Db, email: string): Promise<boolean> {
  const row = await db
    .selectFrom("invitations_to_join")
    .select("id")
    .where(sql<string>`lower(email)`, "=", email.toLowerCase())
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a valid token; of several processes one can. Returns the address that it was made for. */
export async function useJoinInvitation(tx: Db, tokenHash: Buffer): Promise<string | undefined> {
  const row = await tx
    .updateTable("invitations_to_join")
    .set({ used_at: sql<Date>`now()` })
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("email")
    .executeTakeFirst();
  return row?.email;
}

/** Ends the other invitations of an address. */
export async function endJoinInvitations(tx: Db, email: string): Promise<void> {
  await tx
    .updateTable("invitations_to_join")
    .set({ used_at: sql<Date>`now()` })
    .where(sql<string>`lower(email)`, "=", email.toLowerCase())
    .where("used_at", "is", null)
    .execute();
}
