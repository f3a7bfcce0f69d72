import { sql } from "kysely";
import type { ErrorCode } from "@svc/shared/errors.ts";
import type { StepStatus } from "./deploy.ts";
import type { Db } from "../platform/database/database.ts";
import { withClaim, type Claim } from "./deploy-claims.store.ts";
import { insertEvents, type NewEvent } from "./events/deploy-events.store.ts";
import { readOutputTail } from "./events/deploy-output.store.ts";

export async function readSteps(db: Db, deployId: string) {
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

export type StepRow = Awaited<ReturnType<typeof readSteps>>[number];

/**
 * Marks the step running and registers its undo, before anything is asked of the agent.
 * @returns false for a deploy that is to be canceled, of which nothing begins any more
 */
export async function recordStepStart(db: Db, claim: Claim, step: StepRow): Promise<boolean> {
  return withClaim(db, claim, async (trx, { cancelRequested }) => {
    if (cancelRequested) return false;
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
    return true;
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
        payload: { lines: ["The step was broken off on its server; it runs again."], dropped: 0 },
      },
    ]);
  });
}

export interface StepEnd {
  status: Exclude<StepStatus, "pending" | "running">;
  error?: string;
  errorCode?: ErrorCode;
  result?: Record<string, unknown>;
}

/** Keeps the tail of what the step has put out with it. The caller holds the claim. */
export async function recordStepEnd(trx: Db, claim: Claim, step: StepRow, end: StepEnd): Promise<void> {
  const output = await readOutputTail(trx, claim.deployId, step.order);
  await trx
    .updateTable("deploy_steps")
    .set({
      status: end.status,
      output,
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

/** Ends the step that still says `running` when its deploy ends. The caller holds the claim. */
export async function endOpenSteps(trx: Db, claim: Claim, status: "failed" | "canceled", error: string): Promise<void> {
  for (const step of await readSteps(trx, claim.deployId)) {
    if (step.status === "running") await recordStepEnd(trx, claim, step, { status, error });
  }
}

export function stepEvent(step: Pick<StepRow, "name" | "order">, status: StepStatus, error?: string): NewEvent {
  const payload = { step_name: step.name, step_order: step.order, status, ...(error === undefined ? {} : { error }) };
  return { kind: "step", stepOrder: step.order, payload };
}
