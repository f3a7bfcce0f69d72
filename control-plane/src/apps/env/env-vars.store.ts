import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

export async function readEnvKeys(db: Db, appId: string): Promise<string[]> {
  const rows = await db.selectFrom("env_vars").select("key").where("app_id", "=", appId).execute();
  return rows.map(({ key }) => key);
}

/** Stands in the order of the keys. */
export async function readEnvVars(db: Db, appId: string): Promise<{ key: string; value: Buffer }[]> {
  return db.selectFrom("env_vars").select(["key", "value"]).where("app_id", "=", appId).orderBy("key").execute();
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
