import { SvcError } from "@svc/shared/errors.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { ClaimLost, renewClaim, type Claim } from "../deploy-claims.store.ts";
import type { AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";

/** A worker's work on one deploy: what it may do, and when it must stop. */
export interface DeployWork {
  ctx: PipelineContext;
  claim: Claim;
  /**
   * Is aborted when this worker must leave the deploy as it is, for another to go on with: claim lost, process stops.
   */
  leave: AbortSignal;
  /** Is aborted when the deploy is to be canceled. */
  cancel: AbortSignal;
  /** From here on the claim is not renewed, and its loss is no reason to leave. */
  end(): void;
}

export function lockRef(claim: Claim): { deployId: string; attempt: number } {
  return { deployId: claim.deployId, attempt: claim.attempt };
}

/** The servers that the deploy works on, as work there: for a move, the one that the app leaves, too. */
export function placesOf(work: DeployWork): DeployWork[] {
  const { claim } = work;
  return claim.movesFrom === undefined ? [work] : [work, { ...work, claim: { ...claim, serverId: claim.movesFrom } }];
}

export function agentCalls(work: DeployWork, waitMs = awayMsOf(work)): AgentCallContext {
  const { links, clock } = work.ctx;
  const { serverId } = work.claim;
  return { links, clock, serverId, serverWords: serverWords(work.claim), waitMs, signal: work.leave };
}

/** How long the deploy waits for an agent that is away, in milliseconds. */
function awayMsOf({ ctx: { timing }, claim }: DeployWork): number {
  return claim.kind === "move" ? timing.moveAwayMs : timing.agentAwayMs;
}

function serverWords({ serverId, movesFrom }: Claim): string | undefined {
  if (movesFrom === undefined) return undefined;
  return `the server that the app ${serverId === movesFrom ? "leaves" : "goes to"}`;
}

/**
 * Keeps the claim in the database and the lock on the agent alive while the deploy is worked on, and learns of a
 * request to cancel. While this process has no link to the agent, the claim stands without a lease: the agent may come back
 * to another process, which then goes on at once.
 */
export function beginWork(ctx: PipelineContext, claim: Claim, stopping: AbortSignal): DeployWork {
  const { links, notifications, timing, clock, log } = ctx;
  const lost = new AbortController();
  const cancel = new AbortController();
  const ended = new AbortController();
  const leave = AbortSignal.any([stopping, lost.signal]);
  let isFirst = true;

  /** At once, too: the request to cancel may be older than this claim. */
  async function renew(): Promise<void> {
    // The lock is being taken in the first round.
    if (!isFirst) void renewLock();
    isFirst = false;
    const leaseMs = links.agent(claim.serverId) ? timing.claimMs : 0;
    try {
      const { cancelRequested } = await renewClaim(ctx.db, claim, leaseMs);
      if (cancelRequested) cancel.abort(canceled());
    } catch (error) {
      // The database may be away for a moment: the claim may still stand, and every write checks it.
      if (!(error instanceof ClaimLost)) throw error;
      if (!ended.signal.aborted) lost.abort(error);
    }
  }

  async function renewLock(): Promise<void> {
    const lease = { lock: lockRef(claim), leaseSeconds: timing.leaseSeconds };
    const limits = { signal: ended.signal, timeoutMs: timing.claimRenewMs };
    const servers = [claim.serverId, claim.movesFrom].filter((id) => id !== undefined);
    await Promise.all(
      servers.map((id) =>
        links
          .agent(id)
          ?.renewLock(lease, limits)
          .catch(() => undefined),
      ),
    );
  }

  function wakeOn(wake: () => void): () => void {
    const subscriptions = [
      notifications.subscribe("deploy_cancel", (id) => (id === undefined || id === claim.deployId) && wake()),
      links.onChange((serverId) => serverId === claim.serverId && wake()),
    ];
    return () => subscriptions.forEach((unsubscribe) => unsubscribe());
  }

  const failing = `the claim on deploy ${claim.deployId} is not renewed`;
  const everyMs = timing.claimRenewMs;
  const renewal = { everyMs, retryMsMax: everyMs, work: renew, wakeOn, failing, clock, log };
  void repeat(renewal, AbortSignal.any([leave, ended.signal]));
  return { ctx, claim, leave, cancel: cancel.signal, end: () => ended.abort() };
}

export function canceled(): SvcError {
  return new SvcError("canceled", "The deploy was canceled.");
}
