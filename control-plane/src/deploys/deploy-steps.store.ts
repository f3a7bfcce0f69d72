import { sql } from "kysely";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import type { StepStatus } from "./deploy.ts";
import type { Db } from "../platform/database/database.ts";
import { withClaim, type Claim } from "./deploy-claims.store.ts";
import { insertEvents, type NewEvent } from "./events/deploy-events.store.ts";

export interface StepRow {
  name: StepName;
  order: number;
  status: StepStatus;
  run: number;
  lastEventNumber: number;
  result: Record<string, unknown> | undefined;
  error: string | undefined;
  errorCode: ErrorCode | undefined;
}

export async function readSteps(db: Db, deployId: string): Promise<StepRow[]> {
  const rows = await db
    .selectFrom("deploy_steps")
    .select(["step_name", "step_order", "status", "run", "last_event_number", "result", "error", "error_code"])
    .where("deploy_id", "=", deployId)
    .orderBy("step_order")
    .execute();
  return rows.map((row) => ({
    name: row.step_name,
    order: row.step_order,
    status: row.status,
    run: row.run,
    lastEventNumber: Number(row.last_event_number),
    result: row.result ?? undefined,
    error: row.error ?? undefined,
    errorCode: row.error_code ?? undefined,
  }));
}

/** Marks the step running and registers its undo, before anything is asked of the agent. */
export async function recordStepStart(db: Db, claim: Claim, step: StepRow): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({
        status: "running",
        started_at: sql<Date>`coalesce(started_at, now())`,
        undo_registered_at: sql<Date>`coalesce(undo_registered_at, now())`,
      })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, [stepEvent(step, "running")]);
  });
}

/** Stores what the agent sent, and up to which number, in one transaction: nothing is stored twice or lost. */
export async function recordStepEvents(
  db: Db,
  claim: Claim,
  step: StepRow,
  lastEventNumber: number,
  events: readonly NewEvent[],
): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({ last_event_number: String(lastEventNumber) })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, events);
  });
}

/** The agent's process died during the run: the next one is numbered afresh. */
export async function recordStepRerun(db: Db, claim: Claim, step: StepRow): Promise<void> {
  await withClaim(db, claim, async (trx) => {
    await trx
      .updateTable("deploy_steps")
      .set({ run: step.run + 1, last_event_number: "0" })
      .where("deploy_id", "=", claim.deployId)
      .where("step_order", "=", step.order)
      .execute();
    await insertEvents(trx, claim.deployId, [
      {
        kind: "log",
        stepOrder: step.order,
        payload: { lines: ["The agent was restarted during this step; it runs again."], dropped: 0 },
      },
    ]);
  });
}

export interface StepEnd {
  status: Exclude<StepStatus, "pending" | "running">;
  output: string;
  error?: string;
  errorCode?: ErrorCode;
  result?: Record<string, unknown>;
}

export async function recordStepEnd(trx: Db, claim: Claim, step: StepRow, end: StepEnd): Promise<void> {
  await trx
    .updateTable("deploy_steps")
    .set({
      status: end.status,
      output: end.output,
      error: end.error ?? null,
      error_code: end.errorCode ?? null,
      finished_at: sql<Date>`now()`,
      result: end.result === undefined ? null : JSON.stringify(end.result),
    })
    .where("deploy_id", "=", claim.deployId)
    .where("step_order", "=", step.order)
    .execute();
  await insertEvents(trx, claim.deployId, [stepEvent(step, end.status, end.error)]);
}

export function stepEvent(step: Pick<StepRow, "name" | "order">, status: StepStatus, error?: string): NewEvent {
  const payload = { step_name: step.name, step_order: step.order, status, ...(error === undefined ? {} : { error }) };
  return { kind: "step", stepOrder: step.order, payload };
}
