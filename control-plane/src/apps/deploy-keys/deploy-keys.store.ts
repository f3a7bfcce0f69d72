import type { Db } from "../../platform/database/database.ts";

/** The part of a deploy key that may be shown. */
export interface DeployKeyRow {
  public_key: string;
  fingerprint: string;
  created_at: Date;
}

export async function readDeployKey(db: Db, appId: string): Promise<DeployKeyRow | undefined> {
  return db
    .selectFrom("deploy_keys")
    .select(["public_key", "fingerprint", "created_at"])
    .where("app_id", "=", appId)
    .executeTakeFirst();
}

/** Is undefined when the app has none. */
export async function readSealedDeployKey(db: Db, appId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("deploy_keys").select("private_key").where("app_id", "=", appId).executeTakeFirst();
  return row?.private_key;
}

/** Is undefined when the app has one already. */
export async function insertDeployKey(
  tx: Db,
  key: { appId: string; publicKey: string; fingerprint: string; privateKey: Buffer },
): Promise<DeployKeyRow | undefined> {
  return tx
    .insertInto("deploy_keys")
    .values({
      app_id: key.appId,
      public_key: key.publicKey,
      fingerprint: key.fingerprint,
      private_key: key.privateKey,
    })
    .onConflict((conflict) => conflict.column("app_id").doNothing())
    .returning(["public_key", "fingerprint", "created_at"])
    .executeTakeFirst();
}

/** Its fingerprint; undefined when there was none. */
export async function deleteDeployKeyRow(tx: Db, appId: string): Promise<string | undefined> {
  const row = await tx
    .deleteFrom("deploy_keys")
    .where("app_id", "=", appId)
    .returning("fingerprint")
    .executeTakeFirst();
  return row?.fingerprint;
}
