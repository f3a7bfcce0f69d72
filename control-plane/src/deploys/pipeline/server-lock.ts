import { isTerminal } from "../deploy.ts";
import { readLockHolder } from "../deploy-claims.store.ts";
import { readAppFacts } from "../inputs/pipeline-inputs.store.ts";
import { readKeptDeploys } from "../releases/releases.store.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import { agentCalls, lockRef, type DeployRun } from "./deploy-work.ts";
import type { PipelineContext } from "./context.ts";

/** How often a lock that somebody else still holds is asked for again. */
const HELD_RETRY_MS = 500;

/**
 * Takes the server's deploy lock on its agent, or for a rollback that of its app. A lock that an ended deploy left behind is released first.
 * @throws SvcError lock_held when another deploy keeps it beyond its lease, agent_away, canceled
 */
export async function takeAgentLock(run: DeployRun): Promise<void> {
  const { ctx, claim } = run;
  const calls = { ...agentCalls(run), signal: AbortSignal.any([run.leave, run.cancel]) };
  const { id, name } = await readAppFacts(ctx.db, claim.appId);
  const request = {
    lock: lockRef(claim),
    leaseSeconds: ctx.timing.leaseSeconds,
    app: { id, name },
    rollback: claim.targetReleaseId !== undefined,
  };
  const deadline = ctx.clock.now().getTime() + ctx.timing.leaseSeconds * 1000;
  for (;;) {
    try {
      await callAgent(calls, (agent) => agent.takeLock(request, limits(ctx, calls)));
      return;
    } catch (error) {
      const held = error instanceof SvcError && error.code === "lock_held";
      if (!held || ctx.clock.now().getTime() >= deadline) throw error;
      for (const holder of await readEndedHolders(ctx, calls)) {
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

/** None for holders that are not known here (their app was purged): their lease ends by itself. */
export async function readEndedHolders(ctx: PipelineContext, calls: AgentCallContext): Promise<EndedHolder[]> {
  const { status } = await callAgent(calls, (agent) => agent.getStatus({}, limits(ctx, calls)));
  const ended: EndedHolder[] = [];
  for (const { holder } of [status?.lock, ...(status?.rollbacks ?? [])].filter((lock) => lock !== undefined)) {
    const known = holder && (await readLockHolder(ctx.db, holder.deployId));
    if (!holder || !known || !isTerminal(known.status)) continue;
    const { deployId, attempt } = holder;
    const app = { id: known.appId, name: known.appName };
    ended.push({ lock: { deployId, attempt }, app, succeeded: known.status === "success" });
  }
  return ended;
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
  await releaseLock(ctx, calls, holder).catch((error: unknown) => {
    calls.signal.throwIfAborted();
    // Not the next deploy's fault: it asks for the lock itself, and the lease of this one ends.
    ctx.log.warn({ err: error, deploy_id: holder.lock.deployId }, "lock of an ended deploy not released");
  });
}

/** Frees the lock, and says which images are kept: the agent then removes the others, after a success. */
export async function releaseLock(ctx: PipelineContext, calls: AgentCallContext, holder: EndedHolder): Promise<void> {
  const request = { ...holder, keptDeployIds: await readKeptDeploys(ctx.db, holder.app.id) };
  await callAgent(calls, (agent) => agent.releaseLock(request, limits(ctx, calls)));
}

function limits(ctx: PipelineContext, calls: AgentCallContext): { signal: AbortSignal; timeoutMs: number } {
  return { signal: calls.signal, timeoutMs: ctx.timing.answerMs };
}
