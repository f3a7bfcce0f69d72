import { sql } from "kysely";
import { STEP_NAMES, type StepName } from "@svc/shared/rules/steps.ts";
import type { Db } from "../platform/database/database.ts";

/**
 * Reads what is left to take back on the server: steps of ended deploys that did not succeed, the newest first, as a
 * stack does. What a move has stopped on the server that it leaves is not among them (moves.store.ts, readReturns).
 */
export async function readLeftovers(
  db: Db,
  serverId: string,
): Promise<{ deployId: string; appId: string; appName: string; step: StepName }[]> {
  const rows = await db
    .selectFrom("deploy_steps as s")
    .innerJoin("deploys as d", "d.id", "s.deploy_id")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["d.id", "a.id as app_id", "a.name", "s.step_name"])
    .where("d.server_id", "=", serverId)
    .where("d.status", "in", ["failed", "canceled"])
    .where("s.undo_registered_at", "is not", null)
    .where("s.undone_at", "is", null)
    .where((eb) => eb.or([eb("d.kind", "<>", "move"), eb("s.step_name", "<>", "clone_build")]))
    .orderBy("d.seq", "desc")
    .orderBy("s.step_order", "desc")
    .execute();
  return rows.map((row) => ({ deployId: row.id, appId: row.app_id, appName: row.name, step: row.step_name }));
}

export async function readUndoOf(db: Db, deployId: string): Promise<StepName[]> {
  const rows = await db
    .selectFrom("deploy_steps")
    .select("step_name")
    .where("deploy_id", "=", deployId)
    .where("undo_registered_at", "is not", null)
    .where("undone_at", "is", null)
    .orderBy("step_order", "desc")
    .execute();
  return rows.map((row) => row.step_name);
}

export async function recordUndone(db: Db, deployId: string, step: StepName): Promise<void> {
  await db
    .updateTable("deploy_steps")
    .set({ undone_at: sql<Date>`now()` })
    .where("deploy_id", "=", deployId)
    .where("step_order", "=", STEP_NAMES.indexOf(step) + 1)
    .execute();
}
