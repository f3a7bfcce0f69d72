import { ClaimLost, renewClaim, type Claim } from "../deploy-claims.store.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";

/** One worker's hold on one deploy: what it may do and when it must stop. */
export interface DeployRun {
  ctx: PipelineContext;
  claim: Claim;
  /** Aborted when this worker must leave the deploy as it is, for another to go on with: claim lost, process stops. */
  leave: AbortSignal;
  /** Aborted when the deploy is to be canceled. */
  cancel: AbortSignal;
}

export function lockRef(claim: Claim): { deployId: string; attempt: number } {
  return { deployId: claim.deployId, attempt: claim.attempt };
}

export function agentCalls(run: DeployRun, waitMs = run.ctx.timing.agentAwayMs): AgentCallContext {
  const { links, clock } = run.ctx;
  return { links, clock, serverId: run.claim.serverId, waitMs, signal: run.leave };
}

/**
 * Keeps the claim in the database and the lock on the agent alive while the deploy is worked on, and learns of a
 * request to cancel. While this process has no link to the agent, the claim stands without a lease: the agent may come back
 * to another process, which then goes on at once. `end` stops it.
 */
export function keepClaim(ctx: PipelineContext, claim: Claim, stopping: AbortSignal): DeployRun & { end(): void } {
  const lost = new AbortController();
  const cancel = new AbortController();
  const ended = new AbortController();
  const leave = AbortSignal.any([stopping, lost.signal]);
  const run: DeployRun = { ctx, claim, leave, cancel: cancel.signal };

  const renew = async (): Promise<void> => {
    try {
      const leaseMs = ctx.links.agent(claim.serverId) ? ctx.timing.claimMs : 0;
      const { cancelRequested } = await renewClaim(ctx.db, claim, leaseMs);
      if (cancelRequested) cancel.abort(canceled());
    } catch (error) {
      // Without the database for a moment: the claim may still stand, and every write checks it.
      if (ended.signal.aborted) return;
      if (error instanceof ClaimLost) lost.abort(error);
      else ctx.log.warn({ err: error, deploy_id: claim.deployId }, "claim not renewed");
    }
  };
  const renewLock = async (): Promise<void> => {
    const agent = ctx.links.agent(claim.serverId);
    const lease = { lock: lockRef(claim), leaseSeconds: ctx.timing.leaseSeconds };
    await agent?.renewLock(lease, { signal: ended.signal, timeoutMs: ctx.timing.claimRenewMs }).catch(() => undefined);
  };
  const keep = async (): Promise<void> => {
    // The request may be older than this claim.
    await renew();
    while (!ended.signal.aborted && !leave.aborted) {
      await ctx.clock.sleep(ctx.timing.claimRenewMs, ended.signal).catch(() => undefined);
      if (ended.signal.aborted || leave.aborted) return;
      await renew();
      await renewLock();
    }
  };
  const subscriptions = [
    ctx.notifications.subscribe("deploy_cancel", (id) => {
      if (id === undefined || id === claim.deployId) void renew();
    }),
    ctx.links.onChange((serverId) => {
      if (serverId === claim.serverId) void renew();
    }),
  ];
  void keep();
  const end = (): void => {
    for (const unsubscribe of subscriptions) unsubscribe();
    ended.abort();
  };
  return { ...run, end };
}

export function canceled(): SvcError {
  return new SvcError("canceled", "The deploy was canceled.");
}
