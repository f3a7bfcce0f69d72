import type { Db } from "../../platform/database/database.ts";

/** Sealed; undefined until the deploy begins, and once it has ended. */
export async function readDeployInputs(db: Db, deployId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("deploys").select("inputs").where("id", "=", deployId).executeTakeFirst();
  return row?.inputs ?? undefined;
}

/** Of the app's deploy that runs; undefined while none does. */
export async function readInputsOfRunning(
  db: Db,
  appId: string,
): Promise<{ deployId: string; inputs: Buffer } | undefined> {
  const row = await db
    .selectFrom("deploys")
    .select(["id", "inputs"])
    .where("app_id", "=", appId)
    .where("status", "=", "running")
    .where("inputs", "is not", null)
    .executeTakeFirst();
  return row?.inputs ? { deployId: row.id, inputs: row.inputs } : undefined;
}

/** The caller holds the deploy's row, and has seen that it runs and has none yet. */
export async function keepDeployInputs(tx: Db, deployId: string, inputs: Buffer): Promise<void> {
  await tx.updateTable("deploys").set({ inputs }).where("id", "=", deployId).execute();
}
