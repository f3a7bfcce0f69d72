import { isTerminal } from "../domain/deploy.ts";
import { readLockHolder } from "../db/deploy-claims.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import { agentCalls, lockRef, type DeployRun } from "./deploy-run.ts";
import type { PipelineContext } from "./context.ts";

/** How often a lock that somebody else still holds is asked for again. */
const HELD_RETRY_MS = 500;

/**
 * Takes the server's deploy lock on its agent. A lock that an ended deploy left behind is released first.
 * @throws SvcError lock_held when another deploy keeps it beyond its lease, agent_away, canceled
 */
export async function takeAgentLock(run: DeployRun): Promise<void> {
  const { ctx, claim } = run;
  const calls = { ...agentCalls(run), signal: AbortSignal.any([run.leave, run.cancel]) };
  const deadline = ctx.clock.now().getTime() + ctx.timing.leaseSeconds * 1000;
  for (;;) {
    try {
      const lease = { lock: lockRef(claim), leaseSeconds: ctx.timing.leaseSeconds };
      await callAgent(calls, (agent) => agent.takeLock(lease, limits(ctx, calls)));
      return;
    } catch (error) {
      const held = error instanceof SvcError && error.code === "lock_held";
      if (!held || ctx.clock.now().getTime() >= deadline) throw error;
      const holder = await readEndedHolder(ctx, calls);
      if (holder) {
        await stopEndedHolder(ctx, calls, holder);
        await releaseEndedHolder(ctx, calls, holder);
      }
      await ctx.clock.sleep(HELD_RETRY_MS, calls.signal);
    }
  }
}

/** A deploy that holds an agent's lock although it has ended: its worker died, or was cut off, before it could release. */
export interface EndedHolder {
  lock: { deployId: string; attempt: number };
  app: { id: string; name: string };
  succeeded: boolean;
}

/** Undefined also for a holder that is not known here (its app was purged): its lease ends by itself. */
export async function readEndedHolder(ctx: PipelineContext, calls: AgentCallContext): Promise<EndedHolder | undefined> {
  const { status } = await callAgent(calls, (agent) => agent.getStatus({}, limits(ctx, calls)));
  const lock = status?.lock?.holder;
  const known = lock && (await readLockHolder(ctx.db, lock.deployId));
  if (!lock || !known || !isTerminal(known.status)) return undefined;
  const { deployId, attempt } = lock;
  const app = { id: known.appId, name: known.appName };
  return { lock: { deployId, attempt }, app, succeeded: known.status === "success" };
}

/** Ends the step that the agent still runs for it: until then the agent refuses to undo or to release. */
export async function stopEndedHolder(
  ctx: PipelineContext,
  calls: AgentCallContext,
  { lock }: EndedHolder,
): Promise<void> {
  await callAgent(calls, (agent) => agent.cancelDeploy({ lock }, limits(ctx, calls)));
}

export async function releaseEndedHolder(
  ctx: PipelineContext,
  calls: AgentCallContext,
  holder: EndedHolder,
): Promise<void> {
  await callAgent(calls, (agent) => agent.releaseLock(holder, limits(ctx, calls))).catch((error: unknown) => {
    calls.signal.throwIfAborted();
    // Not the next deploy's fault: it asks for the lock itself, and the lease of this one ends.
    ctx.log.warn({ err: error, deploy_id: holder.lock.deployId }, "lock of an ended deploy not released");
  });
}

function limits(ctx: PipelineContext, calls: AgentCallContext): { signal: AbortSignal; timeoutMs: number } {
  return { signal: calls.signal, timeoutMs: ctx.timing.answerMs };
}
