import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

export async function readEnvKeys(db: Db, appId: string): Promise<string[]> {
  const rows = await db.selectFrom("env_vars").select("key").where("app_id", "=", appId).execute();
  return rows.map(({ key }) => key);
}

/** Stands in the order of the names. */
export async function readEnvNames(db: Db, appId: string): Promise<{ name: string; sealed: boolean }[]> {
  return db
    .selectFrom("env_vars")
    .select(["key as name", "sealed"])
    .where("app_id", "=", appId)
    .orderBy("key")
    .execute();
}

/** Stands in the order of the keys. */
export async function readEnvVars(db: Db, appId: string) {
  return db
    .selectFrom("env_vars")
    .select(["key", "value", "sealed", "updated_at as updatedAt"])
    .where("app_id", "=", appId)
    .orderBy("key")
    .execute();
}

/** From now on nobody reads the values of these variables. */
export async function sealEnvVars(tx: Db, appId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.updateTable("env_vars").set({ sealed: true }).where("app_id", "=", appId).where("key", "in", keys).execute();
}

export async function upsertEnvVars(
  tx: Db,
  appId: string,
  vars: readonly { key: string; value: Buffer }[],
): Promise<void> {
  if (vars.length === 0) return;
  await tx
    .insertInto("env_vars")
    .values(vars.map(({ key, value }) => ({ app_id: appId, key, value })))
    .onConflict((conflict) =>
      conflict.columns(["app_id", "key"]).doUpdateSet({ value: sql`excluded.value`, updated_at: sql`now()` }),
    )
    .execute();
}

/** Whether there was one. */
export async function deleteEnvVar(tx: Db, appId: string, key: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("env_vars")
    .where("app_id", "=", appId)
    .where("key", "=", key)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
