import type { AppRef } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { stepOf } from "@svc/shared/rules/step-on-wire.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { CARRYING } from "../moves/moves.store.ts";
import { takeBackMove } from "./take-back-move.ts";
import { readUndoOf, recordUndone } from "../deploy-undo.store.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";
import { agentCalls, lockRef, type DeployWork } from "./deploy-work.ts";

/** How long a failing deploy waits for an agent that is away before it leaves the undo for later. */
const AWAY_WAIT_MS = 5_000;
/** Removing a container takes its grace period at most; more means that the engine hangs. */
const UNDO_LIMIT_MS = 30_000;

export interface Undo {
  deployId: string;
  app: Pick<AppRef, "id" | "name">;
  step: StepName;
}

/** Takes back the deploy's steps that began, last first. @returns whether all of it is done */
export async function undoStepsOf(work: DeployWork): Promise<boolean> {
  const { ctx, claim } = work;
  const { deployId, appId: id, appName: name } = claim;
  const steps = await readUndoOf(ctx.db, deployId);
  if (steps.length === 0) return true;
  const calls = agentCalls(work, AWAY_WAIT_MS);
  const undoOf = (step: StepName): Undo => ({ deployId, app: { id, name }, step });
  // The users of an app that was to move wait for that, and for nothing else.
  const isBack =
    claim.kind !== "move" || !steps.includes(CARRYING) || (await undoSteps(ctx, calls, [undoOf(CARRYING)]));
  // A step that the control plane gave up may still run on the agent, which refuses to undo it meanwhile.
  const limits = { signal: work.leave, timeoutMs: ctx.timing.answerMs };
  const isStopped = await callAgent(calls, (agent) => agent.cancelDeploy({ lock: lockRef(claim) }, limits)).then(
    () => true,
    () => false,
  );
  const onServer = steps.filter((step) => claim.kind !== "move" || step !== CARRYING).map(undoOf);
  return isStopped && (await undoSteps(ctx, calls, onServer)) && isBack;
}

/**
 * Takes back steps in the order given. What can't be taken back now (the agent is away, the engine is down) stays
 * registered and is taken back when the agent is there again, before the server's next deploy.
 * @returns whether all of it is done
 */
export async function undoSteps(
  ctx: PipelineContext,
  calls: AgentCallContext,
  undos: readonly Undo[],
): Promise<boolean> {
  for (const { deployId, app, step } of undos) {
    try {
      const limits = { signal: calls.signal, timeoutMs: UNDO_LIMIT_MS };
      if (!(await takeBackMove(ctx, calls, { deployId, app, step }))) {
        const request = { deployId, app, step: stepOf(step) };
        await callAgent(calls, (agent) => agent.undoStep(request, limits));
      }
      await recordUndone(ctx.db, deployId, step);
    } catch (error) {
      calls.signal.throwIfAborted();
      if (!(error instanceof SvcError)) throw error;
      ctx.log.warn({ err: error, deploy_id: deployId, step }, "step not undone yet");
      return false;
    }
  }
  return true;
}
