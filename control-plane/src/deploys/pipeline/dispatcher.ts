import { adoptUnplaced, claimDeploy, type Claim } from "../deploy-claims.store.ts";
import type { AgentCallContext } from "./agent-calls.ts";
import type { PipelineContext } from "./context.ts";
import { failAbandoned, recoverServer } from "./recover.ts";
import { runDeploy } from "./execute-deploy.ts";

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
 * pending one. One deploy per server at a time, and beside it rollbacks, as many as there are apps; woken by NOTIFY, by
 * links, and by a slow poll.
 */
export function createDispatcher(settings: DispatcherSettings): Dispatcher {
  const { db, links, notifications, processId, timing, log, clock } = settings;
  const stopping = new AbortController();
  const deploys = createLane(serveDeploys);
  const rollbacks = createLane(startRollbacks);
  const rollingBack = new Set<Promise<void>>();
  /** Servers whose leftovers this process has cleared since their link came up. */
  const cleared = new Set<string>();
  const subscriptions: (() => void)[] = [];
  let sweeping: Promise<void> | undefined;
  // After a start of everything, agents need a moment to dial in before a deploy counts as abandoned.
  const sweepFrom = clock.now().getTime() + timing.abandonedMs + timing.claimMs;

  function dispatch(serverId: string): void {
    deploys.wake(serverId);
    rollbacks.wake(serverId);
  }

  function isServed(serverId: string): boolean {
    return !stopping.signal.aborted && links.agent(serverId) !== undefined;
  }

  /** Serves a server once at a time, and again when it was woken meanwhile. */
  function createLane(serve: (serverId: string) => Promise<void>) {
    const busy = new Map<string, Promise<void>>();
    const again = new Set<string>();
    const wake = (serverId: string): void => {
      if (!isServed(serverId)) return;
      if (busy.has(serverId)) return void again.add(serverId);
      const work = serve(serverId)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) log.error({ err: error, server_id: serverId }, "dispatch failed");
        })
        .finally(() => {
          busy.delete(serverId);
          if (again.delete(serverId)) wake(serverId);
        });
      busy.set(serverId, work);
    };
    return { wake, ended: () => Promise.all(busy.values()) };
  }

  /** Runs the server's deploys until none is left. */
  async function serveDeploys(serverId: string): Promise<void> {
    const calls = { links, clock, serverId, waitMs: RECOVER_WAIT_MS, signal: stopping.signal };
    while (isServed(serverId)) {
      const claim = (await claimBegun(serverId)) ?? (await claimNext(serverId, calls));
      if (!claim) return;
      await run(claim);
    }
  }

  /** Nothing is cleared before: taking back what an earlier deploy has left changes nothing that serves. */
  async function startRollbacks(serverId: string): Promise<void> {
    while (isServed(serverId)) {
      const claim = await claimDeploy(db, serverId, processId, { kind: "rollback", leaseMs: timing.claimMs });
      if (!claim) return;
      const work = run(claim).finally(() => {
        rollingBack.delete(work);
        dispatch(serverId);
      });
      rollingBack.add(work);
    }
  }

  async function run(claim: Claim): Promise<void> {
    const { deployId, serverId, attempt } = claim;
    log.info({ deploy_id: deployId, server_id: serverId, attempt }, "deploy claimed");
    await runDeploy(settings, claim, stopping.signal);
    // A deploy that failed while its agent was away left something to clear.
    cleared.delete(serverId);
  }

  /** A deploy that has begun goes on at once: its server was cleared before it began. */
  async function claimBegun(serverId: string): Promise<Claim | undefined> {
    if (cleared.has(serverId)) return undefined;
    return claimDeploy(db, serverId, processId, { kind: "deploy", leaseMs: timing.claimMs, onlyBegun: true });
  }

  async function claimNext(serverId: string, calls: AgentCallContext): Promise<Claim | undefined> {
    // What cannot be cleared now (the engine is down) does not keep the next deploy from saying why it fails.
    if (!cleared.has(serverId) && (await recoverServer(settings, calls))) cleared.add(serverId);
    await adoptUnplaced(db, serverId);
    return claimDeploy(db, serverId, processId, { kind: "deploy", leaseMs: timing.claimMs });
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
      await Promise.all([deploys.ended(), rollbacks.ended(), sweeping]);
      await Promise.all(rollingBack);
    },
  };
}
