import { type ErrorCode, SvcError } from "@svc/shared/errors.ts";
import type { AppRow } from "../../apps/app.ts";
import type { OperationContext } from "../../platform/operation.ts";
import { type RollbackRequest, startRollback } from "./start-rollback.ts";
import { isTerminal, type TerminalStatus } from "../deploy.ts";
import { readDeployEnd } from "../deploys.store.ts";

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

interface DeployOutcome {
  status: TerminalStatus;
  error: string | null;
  errorCode: ErrorCode | null;
}

/** The slow look, for notifications that were lost. */
const POLL_MS = 2_000;

/**
 * Waits for a deploy's end, without holding a connection to the database.
 * @returns undefined when it has not ended, or is gone, after `limitMs` or when the signal aborts
 */
async function awaitDeployEnd(
  { db, clock, notifications }: Pick<OperationContext, "db" | "clock" | "notifications">,
  deployId: string,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal },
): Promise<DeployOutcome | undefined> {
  const deadline = clock.now().getTime() + limitMs;
  let changed = new AbortController();
  const unsubscribe = notifications.subscribe("deploy_events", (id) => {
    if (id === undefined || id === deployId) changed.abort();
  });
  try {
    for (;;) {
      const end = await readDeployEnd(db, deployId);
      if (!end) return undefined;
      const { status } = end;
      if (isTerminal(status)) return { ...end, status };
      const leftMs = deadline - clock.now().getTime();
      if (leftMs <= 0 || signal?.aborted) return undefined;
      const wake = signal ? AbortSignal.any([changed.signal, signal]) : changed.signal;
      await clock.sleep(Math.min(POLL_MS, leftMs), wake).catch(() => undefined);
      changed = new AbortController();
    }
  } finally {
    unsubscribe();
  }
}
