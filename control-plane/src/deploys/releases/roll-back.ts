import { SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../../apps/app.ts";
import { awaitDeployEnd, type DeployOutcome } from "../await-deploy-end.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { startRollback, type RollbackRequest } from "./start-rollback.ts";

/** A container is given 60 s to listen, the route 10 s to lead to it, a former one 10 s to end; the rest is reserve. */
const WAIT_MS = 150_000;

/**
 * Goes back to a release and waits until it is live. What is live keeps
 * serving when it fails.
 * @param closing aborted when this process stops; another one goes on with the rollback
 * @throws SvcError those of startRollback, and why it failed
 */
export async function rollBack(
  ctx: OperationContext,
  app: AppRow,
  request: RollbackRequest,
  closing: AbortSignal,
): Promise<void> {
  const id = await startRollback(ctx, app, request);
  if (id === undefined) return;
  const outcome = await awaitDeployEnd(ctx, id, { limitMs: WAIT_MS, signal: closing });
  if (outcome?.status !== "success") throw failureOf(outcome);
}

function failureOf(outcome: DeployOutcome | undefined): SvcError {
  if (!outcome) {
    return new SvcError(
      "step_timed_out",
      "The rollback takes longer than usual and goes on by itself: look at the app's current_release in a minute.",
    );
  }
  if (outcome.status === "canceled") return new SvcError("canceled", "The rollback was canceled.");
  return new SvcError(outcome.errorCode ?? "internal", outcome.error ?? "It failed for an unknown reason.");
}
