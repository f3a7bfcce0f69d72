import { sql } from "kysely";
import type { AppStatus } from "../apps/app.ts";
import type { DeployEnd, DeployKind, TerminalStatus } from "./deploy.ts";
import type { Db } from "../platform/database/database.ts";
import { stepEvent } from "./deploy-steps.store.ts";
import { insertEvents } from "./events/deploy-events.store.ts";
import { notify } from "../platform/database/notify.ts";

/** The deploy that has ended: the status is `canceled` where a deploy failed after it was asked to be canceled. */
export interface EndedRow {
  kind: DeployKind;
  status: TerminalStatus;
  former_app_status: AppStatus | null;
}

/** Writes the terminal state of the deploy and of its steps. The caller holds the deploy's row. */
export async function writeDeployEnd(tx: Db, deployId: string, end: DeployEnd): Promise<EndedRow> {
  const ended = await tx
    .updateTable("deploys")
    .set({
      status: end.status === "failed" ? failedOrCanceled : end.status,
      error: end.error ?? null,
      error_code: end.errorCode ?? null,
      finished_at: sql<Date>`now()`,
      lease_until: null,
      inputs: null,
      output_bytes: sql<string>`(select coalesce(sum(octet_length(output)), 0) from deploy_steps where deploy_id = deploys.id)`,
    })
    .where("id", "=", deployId)
    .returning(["kind", sql<TerminalStatus>`status`.as("status"), "former_app_status"])
    .executeTakeFirstOrThrow();
  const skipped = await tx
    .updateTable("deploy_steps")
    .set({ status: "skipped" })
    .where("deploy_id", "=", deployId)
    .where("status", "=", "pending")
    .returning(["step_name", "step_order"])
    .execute();
  const byOrder = skipped.sort((a, b) => a.step_order - b.step_order);
  await insertEvents(tx, deployId, [
    ...byOrder.map((step) => stepEvent({ name: step.step_name, order: step.step_order }, "skipped")),
    { kind: "deploy", payload: { status: ended.status, ...(end.error === undefined ? {} : { error: end.error }) } },
  ]);
  return ended;
}

const failedOrCanceled = sql<TerminalStatus>`case when cancel_requested_at is null then 'failed' else 'canceled' end`;

/** Notes that a running deploy is to be canceled, and tells its worker. Returns whether it is the first time. */
export async function requestCancel(trx: Db, deployId: string): Promise<boolean> {
  const row = await trx
    .updateTable("deploys")
    .set({ cancel_requested_at: sql<Date>`now()` })
    .where("id", "=", deployId)
    .where("status", "=", "running")
    .where("cancel_requested_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  await notify(trx, "deploy_cancel", deployId);
  return row !== undefined;
}

/** Whether the deploy is to be canceled; final once the caller holds its row. */
export async function isCancelRequested(db: Db, deployId: string): Promise<boolean> {
  const row = await db
    .selectFrom("deploys")
    .select("cancel_requested_at")
    .where("id", "=", deployId)
    .executeTakeFirst();
  return row !== undefined && row.cancel_requested_at !== null;
}
