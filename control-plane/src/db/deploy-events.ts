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
