import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import type { TerminalStatus } from "../deploy.ts";
import { storableText } from "../../platform/storable-text.ts";
import { isCancelRequested, recordDeployEnd } from "../deploy-end.store.ts";
import { ClaimLost, giveUpClaim, renewClaim, withAppAndClaim, type Claim } from "../deploy-claims.store.ts";
import { readSteps } from "../deploy-steps.store.ts";
import { readUndoOf } from "../deploy-undo.store.ts";
import { readAppFacts, readRelease } from "../inputs/pipeline-inputs.store.ts";
import { takeDeployInputs, type DeployInputs } from "../inputs/deploy-inputs.ts";
import { callAgent } from "./agent-calls.ts";
import { releaseLock, takeAgentLock } from "./server-lock.ts";
import type { PipelineContext } from "./context.ts";
import { agentCalls, canceled, keepClaim, lockRef, type DeployRun } from "./deploy-work.ts";
import { endOpenSteps } from "./end-open-steps.ts";
import { runStep } from "./run-step.ts";
import { undoAll } from "./undo-steps.ts";

/** How long a failing deploy waits for an agent that is away before it leaves the undo for later. */
const UNDO_WAIT_MS = 5_000;
/** The lock's lease frees it anyway when the agent can't be told. */
const RELEASE_WAIT_MS = 5_000;

/** So many workers for one deploy are no accident any more: what they stumble over is the deploy's own. */
const ATTEMPTS_MAX = 10;
/** After something that is no verdict about the deploy (the database was away), before the next attempt. */
const ATTEMPT_PAUSE_MS = 1_000;

/**
 * Brings a claimed deploy to its end, from wherever an earlier worker left it. Returns when the deploy has ended, or
 * when another worker, or this one anew, is to go on with it.
 * @param stopping aborted when this process stops
 */
export async function runDeploy(ctx: PipelineContext, claim: Claim, stopping: AbortSignal): Promise<void> {
  const run = keepClaim(ctx, claim, stopping);
  try {
    const failure = (await workOff(run)) ?? (await succeed(run));
    if (failure) await fail(run, failure);
  } catch (error) {
    if (!(error instanceof ClaimLost)) await giveUp(run, error);
  } finally {
    run.end();
  }
}

/**
 * @returns why the deploy fails or is canceled; undefined when all steps have succeeded
 * @throws whatever is no verdict about the deploy
 */
async function workOff(run: DeployRun): Promise<SvcError | undefined> {
  try {
    const { ctx, claim } = run;
    // Before anything that waits: whatever is changed from here on is the next deploy's.
    const inputs = await withAppAndClaim(ctx.db, claim, (db) => takeDeployInputs({ ...ctx, db }, claim));
    await takeAgentLock(run);
    await runSteps(run, inputs);
    return undefined;
  } catch (error) {
    const isVerdict = error instanceof SvcError || run.claim.attempt >= ATTEMPTS_MAX;
    if (run.leave.aborted || error instanceof ClaimLost || !isVerdict) throw error;
    return toSvcError(error);
  }
}

/** Leaves the deploy as it is: whoever claims it next reads what is recorded and goes on from there. */
async function giveUp({ ctx, claim, leave }: DeployRun, error: unknown): Promise<void> {
  if (!leave.aborted) {
    ctx.log.error({ err: error, deploy_id: claim.deployId, attempt: claim.attempt }, "deploy given up for now");
    await ctx.clock.sleep(ATTEMPT_PAUSE_MS, leave).catch(() => undefined);
  }
  await giveUpClaim(ctx.db, claim).catch((failure: unknown) =>
    ctx.log.warn({ err: failure, deploy_id: claim.deployId }, "claim not given up; it ends by itself"),
  );
}

async function runSteps(run: DeployRun, inputs: DeployInputs): Promise<void> {
  const { ctx, claim } = run;
  const { repoUrl, root, framework, port } = inputs;
  for (const { name } of await readSteps(ctx.db, claim.deployId)) {
    const steps = await readSteps(ctx.db, claim.deployId);
    const results = Object.fromEntries(steps.map((step) => [step.name, step.result]));
    const app = { ...(await readAppFacts(ctx.db, claim.appId)), repoUrl, root, framework, port };
    await runStep(
      run,
      steps.find((step) => step.name === name)!,
      { ctx, claim, app, inputs, results },
    );
  }
}

/** @returns that it was canceled at the last moment; undefined when it has succeeded */
async function succeed(run: ReturnType<typeof keepClaim>): Promise<SvcError | undefined> {
  const { ctx, claim } = run;
  const refusal = await withAppAndClaim(ctx.db, claim, async (trx) => {
    if (await isCancelRequested(trx, claim.deployId)) return canceled();
    const releaseId = claim.targetReleaseId ?? (await readRelease(trx, claim.deployId))?.id;
    if (releaseId === undefined) return new SvcError("internal", "The release's record is missing.");
    await recordDeployEnd(trx, claim, { status: "success", releaseId }, ctx.policy);
    return undefined;
  });
  if (refusal) return refusal;
  // From here on a claim that is gone is no reason to leave.
  run.end();
  await releaseAgentLock(run, true);
  return undefined;
}

/**
 * Takes back what the deploy did, frees the lock, then says so: whoever reads `failed` finds nothing half-made. What
 * cannot be taken back now is done before the server's next deploy (recover.ts).
 */
async function fail(run: DeployRun, failure: SvcError): Promise<void> {
  const { ctx, claim } = run;
  if (failure.code === "internal") ctx.log.error({ err: failure, deploy_id: claim.deployId }, "deploy failed");
  const status: TerminalStatus = failure.code === "canceled" ? "canceled" : "failed";
  const error = storableText(failure.message);
  // Whoever has the deploy now may have brought it to success: nothing of it is touched without the claim.
  await renewClaim(ctx.db, claim, ctx.timing.claimMs);
  if (await takeBack(run)) await releaseAgentLock(run, false);
  await withAppAndClaim(ctx.db, claim, async (trx) => {
    await endOpenSteps(trx, claim, status, error);
    await recordDeployEnd(trx, claim, { status, error, errorCode: failure.code }, ctx.policy);
  });
}

async function takeBack(run: DeployRun): Promise<boolean> {
  const { ctx, claim } = run;
  const { id, name } = await readAppFacts(ctx.db, claim.appId);
  const steps = await readUndoOf(ctx.db, claim.deployId);
  const undos = steps.map((step) => ({ deployId: claim.deployId, app: { id, name }, step }));
  if (undos.length === 0) return true;
  const calls = agentCalls(run, UNDO_WAIT_MS);
  // A step that the control plane gave up may still run on the agent, which refuses to undo it meanwhile.
  const limits = { signal: run.leave, timeoutMs: ctx.timing.answerMs };
  const canceled = await callAgent(calls, (agent) => agent.cancelDeploy({ lock: lockRef(claim) }, limits)).then(
    () => true,
    () => false,
  );
  return canceled && (await undoAll(ctx, calls, undos));
}

async function releaseAgentLock(run: DeployRun, succeeded: boolean): Promise<void> {
  const { ctx, claim } = run;
  const { id, name } = await readAppFacts(ctx.db, claim.appId);
  const holder = { lock: lockRef(claim), app: { id, name }, succeeded };
  await releaseLock(ctx, agentCalls(run, RELEASE_WAIT_MS), holder).catch((error: unknown) =>
    ctx.log.warn({ err: error, deploy_id: claim.deployId }, "agent's lock not released yet"),
  );
}
