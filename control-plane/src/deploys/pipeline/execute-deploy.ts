import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { STEP_NAMES, type StepName } from "@svc/shared/rules/steps.ts";
import type { TerminalStatus } from "../deploy.ts";
import { storableText } from "../../platform/storable-text.ts";
import { isCancelRequested } from "../deploy-end.store.ts";
import { recordDeployEnd } from "../record-deploy-end.ts";
import { ClaimLost, giveUpClaim, renewClaim, withAppAndClaim, type Claim } from "../deploy-claims.store.ts";
import { endOpenSteps } from "../deploy-steps.store.ts";
import { readRelease } from "../inputs/pipeline-inputs.store.ts";
import { takeDeployInputs } from "../inputs/deploy-inputs.ts";
import type { PipelineContext } from "./context.ts";
import { CARRYING } from "../moves/moves.store.ts";
import { stopOnArrival } from "./take-back-move.ts";
import { beginWork, canceled, placesOf, type DeployWork } from "./deploy-work.ts";
import { runStep } from "./run-step.ts";
import { lockServer, unlockServer } from "./server-lock.ts";
import { undoStepsOf } from "./undo-steps.ts";

/** So many workers for one deploy are no accident any more: what they stumble over is the deploy's own. */
const ATTEMPTS_MAX = 10;
/** The pause after something that is no verdict about the deploy (the database was away), before the next attempt. */
const ATTEMPT_PAUSE_MS = 1_000;

/**
 * The story of a deploy, from a worker's claim to the deploy's end. A rollback's is the same; it skips two steps. So is a
 * move's: it holds the app on both servers, and in the place of the build it carries the app over (carry-app.ts).
 *
 * 1. takeInputs: keeps what the user had set when the deploy began; what is changed later is the next deploy's.
 * 2. lockServer: other deploys wait until this one has ended.
 * 3. runStep, four times: provision_db, clone_build, deploy_container, proxy_route. Each registers its undo first.
 * 4. recordSuccess: the release is live, unless somebody has asked to cancel.
 * 5. unlockServer: the server's next deploy may begin.
 *
 * When one of these fails, or the deploy is to be canceled:
 *
 * 4. undoStepsOf, then unlockServer: whoever reads `failed` finds nothing half-made.
 * 5. recordFailure: says so, as `failed` or `canceled`.
 *
 * A phase that an earlier worker has done changes nothing when it is done again. Returns when the deploy has ended, or
 * when another worker is to go on (leaveToNextWorker).
 * @param stopping aborted when this process stops
 */
export async function executeDeploy(ctx: PipelineContext, claim: Claim, stopping: AbortSignal): Promise<void> {
  const work = beginWork(ctx, claim, stopping);
  try {
    try {
      await takeInputs(work);
      for (const place of placesOf(work)) await lockServer(place);
      for (const name of stepsOf(claim)) await runStep(work, name);
      await stopOnArrival(work);
      await recordSuccess(work);
      for (const place of placesOf(work)) await unlockServer(place, place === work);
    } catch (error) {
      const failure = verdictOf(work, error);
      await requireClaimStill(work);
      if (await undoStepsOf(work)) for (const place of placesOf(work)) await unlockServer(place, false);
      await recordFailure(work, failure);
    }
  } catch (error) {
    await leaveToNextWorker(work, error);
  } finally {
    work.end();
  }
}

/** A move has the files of its databases where they go before their PostgreSQL is started there. */
function stepsOf({ kind }: Claim): readonly StepName[] {
  return kind === "move" ? [CARRYING, ...STEP_NAMES.filter((name) => name !== CARRYING)] : STEP_NAMES;
}

/** Before anything that waits. */
async function takeInputs({ ctx, claim }: DeployWork): Promise<void> {
  await withAppAndClaim(ctx.db, claim, (db) => takeDeployInputs({ ...ctx, db }, claim));
}

/** @throws SvcError canceled, when it was asked for at the last moment */
async function recordSuccess({ ctx, claim, end }: DeployWork): Promise<void> {
  await withAppAndClaim(ctx.db, claim, async (trx) => {
    // A move that leads to the other server can't be canceled any more (cancel-move.ts).
    if (await isCancelRequested(trx, claim.deployId)) throw canceled();
    if (claim.kind === "move") return recordDeployEnd(trx, claim, { status: "success" }, ctx.policy);
    const releaseId = claim.targetReleaseId ?? (await readRelease(trx, claim.deployId))?.id;
    if (releaseId === undefined) throw new SvcError("internal", "The release's record is missing.");
    await recordDeployEnd(trx, claim, { status: "success", releaseId }, ctx.policy);
  });
  end();
}

/** Why the deploy fails or is canceled. @throws the error, when it is no verdict about the deploy */
function verdictOf({ claim, leave }: DeployWork, error: unknown): SvcError {
  const isVerdict = error instanceof SvcError || claim.attempt >= ATTEMPTS_MAX;
  if (leave.aborted || error instanceof ClaimLost || !isVerdict) throw error;
  return toSvcError(error);
}

/** The worker that has the deploy now may have brought it to success: nothing of it is touched without the claim. */
async function requireClaimStill({ ctx, claim }: DeployWork): Promise<void> {
  await renewClaim(ctx.db, claim, ctx.timing.claimMs);
}

async function recordFailure({ ctx, claim }: DeployWork, failure: SvcError): Promise<void> {
  if (failure.code === "internal") ctx.log.error({ err: failure, deploy_id: claim.deployId }, "deploy failed");
  const status: TerminalStatus = failure.code === "canceled" ? "canceled" : "failed";
  const error = storableText(failure.message);
  await withAppAndClaim(ctx.db, claim, async (trx) => {
    await endOpenSteps(trx, claim, status, error);
    await recordDeployEnd(trx, claim, { status, error, errorCode: failure.code }, ctx.policy);
  });
}

/** Leaves the deploy as it is: whoever claims it next reads what is recorded and goes on from there. */
async function leaveToNextWorker({ ctx, claim, leave }: DeployWork, error: unknown): Promise<void> {
  if (error instanceof ClaimLost) return;
  if (!leave.aborted) {
    ctx.log.error({ err: error, deploy_id: claim.deployId, attempt: claim.attempt }, "deploy given up for now");
    await ctx.clock.sleep(ATTEMPT_PAUSE_MS, leave).catch(() => undefined);
  }
  await giveUpClaim(ctx.db, claim).catch((failure: unknown) =>
    ctx.log.warn({ err: failure, deploy_id: claim.deployId }, "claim not given up; it ends by itself"),
  );
}
