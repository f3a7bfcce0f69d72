import { perKey } from "@svc/shared/platform/per-key.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { DeployKind } from "../deploy.ts";
import { claimDeploy, type Claim } from "../deploy-claims.store.ts";
import { CARRYING, readReturns } from "../moves/moves.store.ts";
import { placeWaiting } from "../placement/place-waiting.ts";
import type { PipelineContext } from "./context.ts";
import { executeDeploy } from "./execute-deploy.ts";
import { clearServer, failAbandoned } from "./recover.ts";
import { undoSteps } from "./undo-steps.ts";

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
const CLEAR_WAIT_MS = 2_000;

/**
 * Gives every server that this process has a link to its next deploy: first one that lost its worker, else the oldest
 * pending one. One deploy per server at a time, and beside it rollbacks and moves to it, as many as there are apps; woken by
 * NOTIFY, by links, and by a slow poll.
 */
export function createDispatcher(settings: DispatcherSettings): Dispatcher {
  const { db, links, notifications, processId, timing, log, clock } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const failing = "a server's deploys could not be claimed";
  const deploys = perKey({ work: executeDeploys, failing, log }, signal);
  const placing = perKey(
    { work: () => placeWaiting(settings, db), failing: "waiting deploys could not be placed", log },
    signal,
  );
  const beside = perKey({ work: startBeside, failing, log }, signal);
  const runningBeside = new Set<Promise<void>>();
  /** Servers whose leftovers this process has cleared since their link came up. */
  const cleared = new Set<string>();
  const subscriptions: (() => void)[] = [];
  let polling: readonly Promise<void>[] = [];
  // After a start of everything, agents need a moment to dial in before a deploy counts as abandoned.
  const failAbandonedFrom = clock.now().getTime() + timing.abandonedMs + timing.claimMs;

  /** Whatever changes a queue may make room for a deploy that waits for a server; its server's queue is woken then. */
  const placeWaitingOnes = (): void => void placing.wake("");

  function dispatch(serverId: string): void {
    placeWaitingOnes();
    deploys.wake(serverId);
    beside.wake(serverId);
  }

  function dispatchAll(): void {
    placeWaitingOnes();
    for (const serverId of links.linkedServers()) dispatch(serverId);
  }

  const isServed = (serverId: string): boolean => !signal.aborted && links.agent(serverId) !== undefined;

  /** Clears until none of the server's deploys is left. */
  async function executeDeploys(serverId: string): Promise<void> {
    while (isServed(serverId)) {
      const claim = (await claimBegun(serverId)) ?? (await claimNext(serverId));
      if (!claim) return;
      await execute(claim);
    }
  }

  /** Nothing is cleared before: taking back what an earlier deploy has left changes nothing that serves. */
  async function startBeside(serverId: string): Promise<void> {
    await returnApps(serverId);
    while (isServed(serverId)) {
      const claim = (await claimBeside(serverId, "rollback")) ?? (await claimBeside(serverId, "move"));
      if (!claim) return;
      const work = execute(claim).finally(() => {
        runningBeside.delete(work);
        dispatch(serverId);
      });
      runningBeside.add(work);
    }
  }

  function claimBeside(serverId: string, kind: DeployKind): Promise<Claim | undefined> {
    return claimDeploy(db, serverId, processId, { kind, leaseMs: timing.claimMs });
  }

  /** Apps that a move has stopped here serve again when it has ended without success, also where its other server is away. */
  async function returnApps(serverId: string): Promise<void> {
    if (!isServed(serverId)) return;
    const calls = { links, clock, serverId, waitMs: CLEAR_WAIT_MS, signal };
    for (const { deployId, appId: id, appName: name } of await readReturns(db, serverId))
      await undoSteps(settings, calls, [{ deployId, app: { id, name }, step: CARRYING }]);
  }

  async function execute(claim: Claim): Promise<void> {
    const { deployId, serverId, attempt } = claim;
    log.info({ deploy_id: deployId, server_id: serverId, attempt }, "deploy claimed");
    await executeDeploy(settings, claim, signal);
    // A deploy that failed while its agent was away left something to clear.
    cleared.delete(serverId);
  }

  /** A deploy that has begun goes on at once: its server was cleared before it began. */
  async function claimBegun(serverId: string): Promise<Claim | undefined> {
    if (cleared.has(serverId)) return undefined;
    return claimDeploy(db, serverId, processId, { kind: "deploy", leaseMs: timing.claimMs, onlyBegun: true });
  }

  async function claimNext(serverId: string): Promise<Claim | undefined> {
    const calls = { links, clock, serverId, waitMs: CLEAR_WAIT_MS, signal };
    // A server that cannot be cleared now (the engine is down) does not keep the next deploy from saying why it fails.
    if (!cleared.has(serverId) && (await clearServer(settings, calls))) cleared.add(serverId);
    return claimDeploy(db, serverId, processId, { kind: "deploy", leaseMs: timing.claimMs });
  }

  async function failAbandonedOnes(): Promise<void> {
    if (clock.now().getTime() >= failAbandonedFrom) await failAbandoned(settings, processId);
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
      // Apart: who waits for an app's row ends no deploy, and the queue is looked at all the same.
      const every = { everyMs: timing.pollMs, clock, log };
      polling = [
        repeat({ ...every, failing, work: async () => dispatchAll() }, signal),
        repeat({ ...every, failing: "abandoned deploys could not be ended", work: failAbandonedOnes }, signal),
      ];
    },
    async stop() {
      stopping.abort(new Error("the process stops"));
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
      await Promise.all([placing.idle(), deploys.idle(), beside.idle(), ...polling]);
      await Promise.all(runningBeside);
    },
  };
}
