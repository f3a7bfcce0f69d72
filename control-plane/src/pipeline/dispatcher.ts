import { adoptUnplaced, claimDeploy, type Claim } from "../db/deploy-claims.ts";
import type { AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";
import { failAbandoned, recoverServer } from "./recover.ts";
import { runDeploy } from "./run-deploy.ts";

export interface DispatcherSettings extends PipelineContext {
  /** UUID of this process; its claims carry it. */
  processId: string;
}

export interface Dispatcher {
  start(): void;
  /** Hands what runs to another process and resolves when nothing of this one works on a deploy any more. */
  stop(): Promise<void>;
}

/** Agents answer within this when a server is cleared before its next deploy. */
const RECOVER_WAIT_MS = 2_000;

/**
 * Gives every server that this process has a link to its next deploy: first one that lost its worker, else the oldest
 * pending one. One deploy per server at a time; woken by NOTIFY, by links, and by a slow poll.
 */
export function createDispatcher(settings: DispatcherSettings): Dispatcher {
  const { db, links, notifications, processId, timing, log, clock } = settings;
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();
  /** Servers that were asked about while they were busy. */
  const again = new Set<string>();
  /** Servers whose leftovers this process has cleared since their link came up. */
  const cleared = new Set<string>();
  const subscriptions: (() => void)[] = [];
  let sweeping: Promise<void> | undefined;
  // After a start of everything, agents need a moment to dial in before a deploy counts as abandoned.
  const sweepFrom = clock.now().getTime() + timing.abandonedMs + timing.claimMs;

  function dispatch(serverId: string): void {
    if (stopping.signal.aborted || !links.agent(serverId)) return;
    if (busy.has(serverId)) return void again.add(serverId);
    const work = serve(serverId)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error, server_id: serverId }, "dispatch failed");
      })
      .finally(() => {
        busy.delete(serverId);
        if (again.delete(serverId)) dispatch(serverId);
      });
    busy.set(serverId, work);
  }

  /** Runs the server's deploys until none is left. */
  async function serve(serverId: string): Promise<void> {
    const calls = { links, clock, serverId, waitMs: RECOVER_WAIT_MS, signal: stopping.signal };
    while (!stopping.signal.aborted && links.agent(serverId)) {
      const claim = (await claimBegun(serverId)) ?? (await claimNext(serverId, calls));
      if (!claim) return;
      log.info({ deploy_id: claim.deployId, server_id: serverId, attempt: claim.attempt }, "deploy claimed");
      await runDeploy(settings, claim, stopping.signal);
      // A deploy that failed while its agent was away left something to clear.
      cleared.delete(serverId);
    }
  }

  /** What has begun was cleared for, and waits for nothing of another deploy. */
  async function claimBegun(serverId: string): Promise<Claim | undefined> {
    if (cleared.has(serverId)) return undefined;
    return claimDeploy(db, serverId, processId, { leaseMs: timing.claimMs, onlyBegun: true });
  }

  async function claimNext(serverId: string, calls: AgentCallContext): Promise<Claim | undefined> {
    // What cannot be cleared now (the engine is down) does not keep the next deploy from saying why it fails.
    if (!cleared.has(serverId) && (await recoverServer(settings, calls))) cleared.add(serverId);
    await adoptUnplaced(db, serverId);
    return claimDeploy(db, serverId, processId, { leaseMs: timing.claimMs });
  }

  function dispatchAll(): void {
    for (const serverId of links.linkedServers()) dispatch(serverId);
  }

  function sweep(): void {
    if (clock.now().getTime() < sweepFrom) return;
    sweeping ??= failAbandoned(settings, processId)
      .catch((error: unknown) => log.error({ err: error }, "sweep failed"))
      .finally(() => {
        sweeping = undefined;
      });
  }

  return {
    start() {
      subscriptions.push(
        notifications.subscribe("deploy_queue", (serverId) => (serverId ? dispatch(serverId) : dispatchAll())),
        links.onChange((serverId) => {
          cleared.delete(serverId);
          dispatch(serverId);
        }),
      );
      const timer = setInterval(() => {
        dispatchAll();
        sweep();
      }, timing.pollMs);
      subscriptions.push(() => clearInterval(timer));
      dispatchAll();
    },
    async stop() {
      stopping.abort(new Error("the process stops"));
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
      await Promise.all([...busy.values(), sweeping]);
    },
  };
}
