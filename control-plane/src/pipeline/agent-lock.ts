import { isTerminal } from "../domain/deploy.ts";
import { readLockHolder } from "../db/pipeline.ts";
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
      await callAgent(calls, (agent) => agent.takeLock(lease, { signal: calls.signal }));
      return;
    } catch (error) {
      const held = error instanceof SvcError && error.code === "lock_held";
      if (!held || ctx.clock.now().getTime() >= deadline) throw error;
      await releaseEndedHolder(ctx, calls);
      await ctx.clock.sleep(HELD_RETRY_MS, calls.signal);
    }
  }
}

/** Releases the agent's lock when the deploy that holds it has ended or is gone: its worker died before it could. */
export async function releaseEndedHolder(ctx: PipelineContext, calls: AgentCallContext): Promise<void> {
  const { status } = await callAgent(calls, (agent) => agent.getStatus({}, { signal: calls.signal }));
  const holder = status?.lock?.holder;
  if (!holder) return;
  const known = await readLockHolder(ctx.db, holder.deployId);
  // One that is not known (its app was purged) ends with its lease.
  if (!known || !isTerminal(known.status)) return;
  const app = { id: known.appId, name: known.appName };
  const release = { lock: holder, app, succeeded: known.status === "success" };
  await callAgent(calls, (agent) => agent.releaseLock(release, { signal: calls.signal }));
}
