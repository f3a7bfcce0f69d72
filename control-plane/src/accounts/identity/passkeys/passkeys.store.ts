import { sql, type InferResult } from "kysely";
import { newId } from "@svc/shared/rules/ids.ts";
import type { Db } from "../../../platform/database/database.ts";
import { CHALLENGE_SECONDS } from "./passkey.ts";

/** @param userId null for the challenge of a sign-in */
export async function insertChallenge(db: Db, challenge: Buffer, userId: string | null): Promise<void> {
  await db
    .insertInto("passkey_challenges")
    .values({ challenge, user_id: userId, expires_at: sql<Date>`now() + ${CHALLENGE_SECONDS} * interval '1 second'` })
    .execute();
}

/** Takes a challenge that still waits for its answer, which is gone then: of several requests one gets it. Returns whether it was there. */
export async function takeChallenge(db: Db, challenge: Buffer, userId: string | null): Promise<boolean> {
  const row = await db
    .deleteFrom("passkey_challenges")
    .where("challenge", "=", challenge)
    .where("user_id", userId === null ? "is" : "=", userId)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("challenge")
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends what the user has begun to add. */
export async function deleteChallenges(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom("passkey_challenges").where("user_id", "=", userId).execute();
}

function selectPasskeys(db: Db) {
  return (
    db
      .selectFrom("passkeys")
      .select([
        "id",
        "user_id as userId",
        "credential_id as credentialId",
        "public_key as publicKey",
        "transports",
        "name",
      ])
      .select(["backed_up as isBackedUp", "created_at as createdAt", "last_used_at as lastUsedAt"])
      // At most 2^32 - 1.
      .select(sql<number>`counter::float8`.as("counter"))
  );
}

export type PasskeyRow = InferResult<ReturnType<typeof selectPasskeys>>[number];

/** Those of the user, oldest first. */
export async function readPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return selectPasskeys(db).where("user_id", "=", userId).orderBy("created_at").orderBy("id").execute();
}

export async function readPasskey(db: Db, userId: string, id: string): Promise<PasskeyRow | undefined> {
  return selectPasskeys(db).where("id", "=", id).where("user_id", "=", userId).executeTakeFirst();
}

export async function readPasskeyByCredential(db: Db, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return selectPasskeys(db).where("credential_id", "=", credentialId).executeTakeFirst();
}

/** Returns the passkey; undefined when somebody has registered it before. */
export async function insertPasskey(
  tx: Db,
  passkey: Omit<PasskeyRow, "id" | "createdAt" | "lastUsedAt">,
): Promise<PasskeyRow | undefined> {
  const id = newId();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("passkeys")
    .values({
      id,
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: String(passkey.counter),
      transports: passkey.transports,
      name: passkey.name,
      backed_up: passkey.isBackedUp,
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n ? readPasskey(tx, passkey.userId, id) : undefined;
}

export async function notePasskeyUse(
  tx: Db,
  id: string,
  { counter, isBackedUp }: Pick<PasskeyRow, "counter" | "isBackedUp">,
): Promise<void> {
  await tx
    .updateTable("passkeys")
    .set({ counter: String(counter), backed_up: isBackedUp, last_used_at: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
}

/** Is false when the user has no such passkey. */
export async function writePasskeyName(tx: Db, userId: string, id: string, name: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("passkeys")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns the name that it had; undefined when the user has no such passkey. */
export async function deletePasskey(tx: Db, userId: string, id: string): Promise<string | undefined> {
  const row = await tx
    .deleteFrom("passkeys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("name")
    .executeTakeFirst();
  return row?.name;
}
