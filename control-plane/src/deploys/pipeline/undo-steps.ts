import type { AppRef } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { stepOf } from "@svc/shared/rules/step-on-wire.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { recordUndone } from "../deploy-undo.store.ts";
import type { StepName } from "@svc/shared/rules/steps.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";

/** Removing a container takes its grace period at most; more means that the engine hangs. */
const UNDO_LIMIT_MS = 30_000;

export interface Undo {
  deployId: string;
  app: Pick<AppRef, "id" | "name">;
  step: StepName;
}

/**
 * Takes back steps in the order given. What can't be taken back now (the agent is away, the engine is down) stays
 * registered and is taken back when the agent is there again, before the server's next deploy.
 * @returns whether all of it is done
 */
export async function undoAll(ctx: PipelineContext, calls: AgentCallContext, undos: readonly Undo[]): Promise<boolean> {
  for (const { deployId, app, step } of undos) {
    try {
      const request = { deployId, app, step: stepOf(step) };
      await callAgent(calls, (agent) => agent.undoStep(request, { signal: calls.signal, timeoutMs: UNDO_LIMIT_MS }));
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
