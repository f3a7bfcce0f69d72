import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";

/** Begins anew, unless the second factor is on. Is false when it is. */
export async function beginTwoFactor(tx: Db, userId: string, secret: Buffer): Promise<boolean> {
  const row = await tx
    .insertInto("two_factors")
    .values({ user_id: userId, secret, recovery_codes: [] })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({ secret, last_step: "0" }).where("two_factors.confirmed_at", "is", null),
    )
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function readTwoFactor(db: Db, userId: string) {
  return db
    .selectFrom("two_factors")
    .select(["secret", "confirmed_at", "last_step"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Notes a step whose code was accepted. Is false when that, or a newer one, was accepted before. */
export async function useStep(tx: Db, userId: string, step: number): Promise<boolean> {
  const row = await tx
    .updateTable("two_factors")
    .set({ last_step: String(step) })
    .where("user_id", "=", userId)
    .where("last_step", "<", String(step))
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Uses a recovery code, once. */
export async function useRecoveryCode(tx: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update two_factors set recovery_codes = array_remove(recovery_codes, ${codeHash}::bytea)
    where user_id = ${userId} and confirmed_at is not null and ${codeHash}::bytea = any(recovery_codes)
    returning user_id
  `.execute(tx);
  return rows.length === 1;
}

export async function confirmTwoFactor(tx: Db, userId: string, recoveryHashes: Buffer[]): Promise<void> {
  await tx
    .updateTable("two_factors")
    .set({ confirmed_at: sql<Date>`now()`, recovery_codes: recoveryHashes })
    .where("user_id", "=", userId)
    .execute();
}

/** A secret that somebody has read and not confirmed yet. */
export async function deleteUnconfirmedTwoFactor(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom("two_factors").where("user_id", "=", userId).where("confirmed_at", "is", null).execute();
}

export async function deleteTwoFactor(tx: Db, userId: string): Promise<void> {
  await tx.deleteFrom("two_factors").where("user_id", "=", userId).execute();
}
