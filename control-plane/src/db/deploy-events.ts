import { sql } from "kysely";
import type { Db } from "./database.ts";
import { notify } from "./notify.ts";

export interface DeployEventRow {
  /** From 1, without gaps. */
  number: string;
  step_order: number | null;
  kind: "log" | "progress" | "step" | "deploy";
  payload: Record<string, unknown>;
  created_at: Date;
}

export interface NewEvent {
  kind: "log" | "progress" | "step" | "deploy";
  stepOrder?: number;
  payload: Record<string, unknown>;
}

/** Appends to the deploy's event log, numbered without gaps. The caller holds the deploy's row. */
export async function insertEvents(trx: Db, deployId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { event_count } = await trx
    .updateTable("deploys")
    .set({ event_count: sql<string>`event_count + ${events.length}` })
    .where("id", "=", deployId)
    .returning("event_count")
    .executeTakeFirstOrThrow();
  const first = Number(event_count) - events.length + 1;
  await trx
    .insertInto("deploy_events")
    .values(
      events.map((event, i) => ({
        deploy_id: deployId,
        number: String(first + i),
        step_order: event.stepOrder ?? null,
        kind: event.kind,
        payload: JSON.stringify(event.payload),
      })),
    )
    .execute();
  await notify(trx, "deploy_events", deployId);
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
