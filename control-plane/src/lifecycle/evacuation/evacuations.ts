import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { lockAppOfOwner } from "../../apps/find-app.ts";
import { isTerminal } from "../../deploys/deploy.ts";
import { startMove } from "../../deploys/moves/start-move.ts";
import { placeApp } from "../../deploys/placement/place-app.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import type { OperationContext } from "../../platform/operation.ts";
import {
  endEvacuation,
  lockEvacuation,
  noteMove,
  noteReason,
  readAppsToMove,
  readRunningEvacuations,
  type LockedEvacuation,
} from "./evacuations.store.ts";

type Parts = Pick<OperationContext, "db" | "links" | "clock" | "notifications" | "platform"> & { log: Logger };

/** While one goes on; the end of each move wakes, too. */
const LOOK_MS = 2_000;
/** While none goes on; whoever begins one wakes. */
const REST_MS = 60_000;

/** Moves the apps of servers that are evacuated, one at a time for each. Any number of processes may do so at once. */
export function startEvacuations(parts: Parts) {
  const { db, clock, log, notifications } = parts;
  return startRepeating("evacuations", {
    everyMs: LOOK_MS,
    failing: "an evacuation can't go on",
    async work() {
      const running = await readRunningEvacuations(db);
      for (const serverId of running) await goOn(parts, serverId);
      return running.length === 0 ? REST_MS : LOOK_MS;
    },
    wakeOn(wake) {
      const ends = [notifications.subscribe("servers", wake), notifications.subscribe("deploy_queue", wake)];
      return () => ends.forEach((end) => end());
    },
    clock,
    log,
  });
}

/** Begins the server's next move once the last one has ended. */
async function goOn(parts: Parts, serverId: string): Promise<void> {
  const ended = await inTransaction(parts.db, async (tx) => {
    const evacuation = await lockEvacuation(tx, serverId);
    if (!evacuation || (evacuation.move && !isTerminal(evacuation.move.status))) return undefined;
    const status = evacuation.move?.status;
    // One that was canceled is of an app that its owner has deleted, or an operator has given up: there is nothing to wait for.
    if (status === "success" || status === "canceled") {
      await noteMove(tx, serverId, { deployId: null, hasMoved: status === "success" });
    }
    return evacuation;
  });
  if (!ended) return;
  const { move } = ended;
  if (move?.status === "failed") return end(parts.db, serverId, `${move.app}: ${move.error ?? "the move failed"}`);
  await beginNext(parts, serverId);
}

/** Begins a move of the first app that can move now. */
async function beginNext(parts: Parts, serverId: string): Promise<void> {
  const passed = new Map<string, string>();
  for (;;) {
    const tried: { app?: string } = {};
    try {
      return await inTransaction(parts.db, async (tx) => {
        const evacuation = await lockEvacuation(tx, serverId);
        if (evacuation && !evacuation.move) await moveNext(parts, tx, { serverId, evacuation, passed, tried });
      });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const { app } = tried;
      // What the app does now, or has left behind, comes to its end, and it may be deleted: the next look finds it so.
      const mayPass = error.code === "deploy_in_progress" || error.code === "not_found";
      if (app === undefined || !mayPass) return end(parts.db, serverId, error.message);
      passed.set(app, error.message);
    }
  }
}

interface NextMove {
  serverId: string;
  evacuation: LockedEvacuation;
  /** Apps that can't move now, with the reasons. */
  passed: ReadonlyMap<string, string>;
  /** Is told the app that is tried. */
  tried: { app?: string };
}

async function moveNext(parts: Parts, tx: Db, { serverId, evacuation, passed, tried }: NextMove): Promise<void> {
  const { server, isDraining } = evacuation;
  if (!isDraining) return endEvacuation(tx, serverId, `${server} takes new apps again, or was removed.`);
  const apps = await readAppsToMove(tx, serverId);
  if (apps.length === 0) return endEvacuation(tx, serverId, undefined);
  const app = apps.find(({ id, isBusy }) => !isBusy && !passed.has(id));
  // All that are left are busy now: the end of what they do wakes, or the next look finds it.
  if (!app) {
    const [reason] = passed.values();
    return reason === undefined ? undefined : noteReason(tx, serverId, reason);
  }
  tried.app = app.id;
  // Before its place is chosen: whoever deploys it locks in that order.
  await lockAppOfOwner(tx, app);
  const placement = { links: parts.links, policy: parts.platform.pipeline };
  const place = await placeApp(placement, tx, app.id);
  if (!place)
    return endEvacuation(
      tx,
      serverId,
      `No other server takes ${app.name}: those that it may live on are drained, or have no room.`,
    );
  const by = { actor: "system", requestId: null };
  const deployId = await startMove(parts, tx, { app, to: place.name, by });
  await noteMove(tx, serverId, { deployId, hasMoved: false });
}

function end(db: Db, serverId: string, reason: string): Promise<void> {
  return inTransaction(db, (tx) => endEvacuation(tx, serverId, reason));
}
