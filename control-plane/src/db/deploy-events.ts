import { sql } from "kysely";
import type { Db } from "./database.ts";

export interface DeployEventRow {
  /** From 1, without gaps. */
  number: string;
  step_order: number | null;
  kind: "log" | "progress" | "step" | "deploy";
  payload: Record<string, unknown>;
  created_at: Date;
}

/** In their order, those after `number`. */
export async function readDeployEvents(
  db: Db,
  deployId: string,
  after: string,
  limit: number,
): Promise<DeployEventRow[]> {
  return db
    .selectFrom("deploy_events")
    .select(["number", "step_order", "kind", "payload", "created_at"])
    .where("deploy_id", "=", deployId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
}

/**
 * Removes events of deploys that ended more than 14 days ago: nobody follows those any more, and the tail of each step
 * stays in `deploy_steps.output`. In batches, so that a long backlog locks nothing for long. Returns how many.
 */
export async function deleteOldDeployEvents(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deploy_events where (deploy_id, number) in (
      select e.deploy_id, e.number
      from deploys d join deploy_events e on e.deploy_id = d.id
      where d.finished_at < now() - interval '14 days'
      limit ${limit}
      for update of e skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}
