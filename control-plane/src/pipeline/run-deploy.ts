import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import type { TerminalStatus } from "../domain/deploy.ts";
import { isCancelRequested, recordDeployEnd } from "../db/deploy-end.ts";
import { ClaimLost, giveUpClaim, readSteps, readUndoOf, withAppAndClaim, type Claim } from "../db/pipeline.ts";
import { readAppFacts, readRelease } from "../db/pipeline-inputs.ts";
import { callAgent } from "./agent-calls.ts";
import { takeAgentLock } from "./agent-lock.ts";
import type { PipelineContext } from "./context.ts";
import { agentCalls, canceled, keepClaim, lockRef, type DeployRun } from "./deploy-run.ts";
import { runStep } from "./run-step.ts";
import { undoAll } from "./undo-stack.ts";

/** How long a failing deploy waits for an agent that is away before it leaves the undo for later. */
const UNDO_WAIT_MS = 5_000;
/** The lock's lease frees it anyway when the agent can't be told. */
const RELEASE_WAIT_MS = 5_000;

/**
 * Brings a claimed deploy to its end, from wherever an earlier worker left it. Returns when the deploy has ended, or
 * when another worker is to go on with it.
 * @param stopping aborted when this process stops
 */
export async function runDeploy(ctx: PipelineContext, claim: Claim, stopping: AbortSignal): Promise<void> {
  const run = keepClaim(ctx, claim, stopping);
  try {
    await takeAgentLock(run);
    await runSteps(run);
    await recordSuccess(run);
    // From here on a claim that is gone is no reason to leave.
    run.end();
    await releaseAgentLock(run, true);
  } catch (error) {
    if (error instanceof ClaimLost) return;
    if (run.leave.aborted) await giveUpClaim(ctx.db, claim);
    else await fail(run, toSvcError(error));
  } finally {
    run.end();
  }
}

async function runSteps(run: DeployRun): Promise<void> {
  const { ctx, claim } = run;
  for (const { name } of await readSteps(ctx.db, claim.deployId)) {
    const steps = await readSteps(ctx.db, claim.deployId);
    const results = Object.fromEntries(steps.map((step) => [step.name, step.result]));
    const app = await readAppFacts(ctx.db, claim.appId);
    await runStep(
      run,
      steps.find((step) => step.name === name)!,
      { ctx, claim, app, results },
    );
  }
}

async function recordSuccess(run: DeployRun): Promise<void> {
  const { ctx, claim } = run;
  await withAppAndClaim(ctx.db, claim, async (trx) => {
    if (await isCancelRequested(trx, claim.deployId)) throw canceled();
    const releaseId = claim.targetReleaseId ?? (await readRelease(trx, claim.deployId))?.id;
    if (releaseId === undefined) throw new SvcError("internal", "The release's record is missing.");
    await recordDeployEnd(trx, claim, { status: "success", releaseId }, ctx.policy);
  });
}

/**
 * Takes back what the deploy did, frees the lock, then says so: whoever reads `failed` finds nothing half-made. What
 * cannot be taken back now is done before the server's next deploy (recover.ts).
 */
async function fail(run: DeployRun, error: SvcError): Promise<void> {
  const { ctx, claim } = run;
  if (error.code === "internal") ctx.log.error({ err: error, deploy_id: claim.deployId }, "deploy failed");
  const status: TerminalStatus = error.code === "canceled" ? "canceled" : "failed";
  try {
    if (await takeBack(run)) await releaseAgentLock(run, false);
    const end = { status, error: error.message, errorCode: error.code };
    await withAppAndClaim(ctx.db, claim, (trx) => recordDeployEnd(trx, claim, end, ctx.policy));
  } catch (failure) {
    if (failure instanceof ClaimLost) return;
    if (!run.leave.aborted) throw failure;
    await giveUpClaim(ctx.db, claim);
  }
}

async function takeBack(run: DeployRun): Promise<boolean> {
  const { ctx, claim } = run;
  const { id, name } = await readAppFacts(ctx.db, claim.appId);
  const steps = await readUndoOf(ctx.db, claim.deployId);
  const undos = steps.map((step) => ({ deployId: claim.deployId, app: { id, name }, step }));
  if (undos.length === 0) return true;
  const calls = agentCalls(run, UNDO_WAIT_MS);
  // A step that the control plane gave up may still run on the agent, which refuses to undo it meanwhile.
  const canceled = await callAgent(calls, (agent) => agent.cancelDeploy({ lock: lockRef(claim) })).then(
    () => true,
    () => false,
  );
  return canceled && (await undoAll(ctx, calls, undos));
}

async function releaseAgentLock(run: DeployRun, succeeded: boolean): Promise<void> {
  const { ctx, claim } = run;
  const { id, name } = await readAppFacts(ctx.db, claim.appId);
  const request = { lock: lockRef(claim), app: { id, name }, succeeded };
  await callAgent(agentCalls(run, RELEASE_WAIT_MS), (agent) => agent.releaseLock(request, { signal: run.leave })).catch(
    (error: unknown) => ctx.log.warn({ err: error, deploy_id: claim.deployId }, "agent's lock not released yet"),
  );
}
