import { SvcError } from "@svc/shared/errors.ts";
import { retry } from "@svc/shared/platform/until.ts";
import { isTerminal } from "../deploy.ts";
import { readLockHolder } from "../deploy-claims.store.ts";
import { readKeptDeploys } from "../releases/releases.store.ts";
import { callAgent, type AgentCallContext } from "./agent-calls.ts";
import { agentCalls, lockRef, type DeployWork } from "./deploy-work.ts";
import type { PipelineContext } from "./context.ts";

/** How often a lock that somebody else still holds is asked for again. */
const HELD_RETRY_MS = 500;
/** The lock's lease frees it anyway when the agent can't be told. */
const UNLOCK_WAIT_MS = 5_000;

/**
 * Takes the server's deploy lock on its agent, or for a rollback or a move that of its app. A lock that an ended deploy left behind
 * is unlocked first.
 * @throws SvcError lock_held when another deploy keeps it beyond its lease, agent_away, canceled
 */
export async function lockServer(work: DeployWork): Promise<void> {
  const { ctx, claim } = work;
  const calls = { ...agentCalls(work), signal: AbortSignal.any([work.leave, work.cancel]) };
  const request = {
    lock: lockRef(claim),
    leaseSeconds: ctx.timing.leaseSeconds,
    app: { id: claim.appId, name: claim.appName },
    rollback: claim.kind !== "deploy",
  };
  const mayPass = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof SvcError) || error.code !== "lock_held") return false;
    for (const holder of await readEndedHolders(ctx, calls)) {
      await stopEndedHolder(ctx, calls, holder);
      await unlockEndedHolder(ctx, calls, holder);
    }
    return true;
  };
  await retry(() => callAgent(calls, (agent) => agent.takeLock(request, limits(ctx, calls))), {
    mayPass,
    pauseMs: HELD_RETRY_MS,
    msMax: ctx.timing.leaseSeconds * 1000,
    clock: ctx.clock,
    signal: calls.signal,
  });
}

/** Frees the lock that the deploy holds; where that fails, it is done before the server's next deploy. */
export async function unlockServer(work: DeployWork, succeeded: boolean): Promise<void> {
  const { ctx, claim } = work;
  const holder = { lock: lockRef(claim), app: { id: claim.appId, name: claim.appName }, succeeded };
  await unlock(ctx, agentCalls(work, UNLOCK_WAIT_MS), holder).catch((error: unknown) =>
    ctx.log.warn({ err: error, deploy_id: claim.deployId }, "the server is not unlocked yet"),
  );
}

/** A deploy that holds an agent's lock although it has ended: its worker died, or was cut off, before it could unlock. */
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

/** Ends the step that the agent still runs for it: until then the agent refuses to undo or to unlock. */
export async function stopEndedHolder(
  ctx: PipelineContext,
  calls: AgentCallContext,
  { lock }: EndedHolder,
): Promise<void> {
  await callAgent(calls, (agent) => agent.cancelDeploy({ lock }, limits(ctx, calls)));
}

export async function unlockEndedHolder(
  ctx: PipelineContext,
  calls: AgentCallContext,
  holder: EndedHolder,
): Promise<void> {
  await unlock(ctx, calls, holder).catch((error: unknown) => {
    calls.signal.throwIfAborted();
    // Not the next deploy's fault: it asks for the lock itself, and the lease of this one ends.
    ctx.log.warn({ err: error, deploy_id: holder.lock.deployId }, "the lock of an ended deploy is not freed yet");
  });
}

/** Says which images are kept, too: the agent then removes the others, after a success. */
async function unlock(ctx: PipelineContext, calls: AgentCallContext, holder: EndedHolder): Promise<void> {
  const request = { ...holder, keptDeployIds: await readKeptDeploys(ctx.db, holder.app.id) };
  await callAgent(calls, (agent) => agent.releaseLock(request, limits(ctx, calls)));
}

function limits(ctx: PipelineContext, calls: AgentCallContext): { signal: AbortSignal; timeoutMs: number } {
  return { signal: calls.signal, timeoutMs: ctx.timing.answerMs };
}
