import { newId } from "@svc/shared/rules/ids.ts";
import { noteTakeBack } from "../../apps/status/app-deploys.ts";
import type { AppsAddress } from "../../fleet/app-url.ts";
import type { TakenBack } from "./taken-back.ts";
import { insertAudit } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { insertEvents } from "../events/deploy-events.store.ts";
import { notify } from "../../platform/database/notify.ts";
import { announceDeployEnd } from "../../webhooks/announce.ts";
import { insertRollback, lockAppOn, lockDeployOf, readServedRelease, writeTakenBack } from "./take-backs.store.ts";

/** An agent's news: it has led the app's hosts from the container of one deploy back to that of another. */
export interface ObservedTakeBack {
  appId: string;
  deployId: string;
  /** Its container serves; the deploy may be a rollback. */
  servedDeployId: string;
  reason: string;
  /** A sentence for the owner, without secrets. */
  detail: string;
  /** Undefined: the container did not end. */
  exitCode: number | undefined;
  /** The end of the app's log, without secrets. */
  lastLines: readonly string[];
  at: Date;
}

/**
 * Records an automatic rollback, once: as a deploy of its own kind, at the deploy that was taken back, as an event of that
 * one and for webhooks. What the API says is live changes only if it was that deploy: a later decision stays.
 * @returns false while the deploy has not ended: it is to be recorded later
 */
export async function recordTakeBack(
  db: Db,
  serverId: string,
  observed: ObservedTakeBack,
  address: AppsAddress,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const app = await lockAppOn(tx, serverId, observed.appId);
    const deploy = app && (await lockDeployOf(tx, observed.deployId, app.id));
    if (!deploy) return true;
    if (deploy.status === "pending" || deploy.status === "running") return false;
    const isLive = deploy.release_id !== null && deploy.release_id === app.current_release_id;
    const served = await readServedRelease(tx, observed.servedDeployId, app.id);
    if (deploy.taken_back !== null || !served) return true;

    const { at, reason, detail, exitCode = null, lastLines } = observed;
    const takenBack: TakenBack = {
      at: at.toISOString(),
      reason,
      detail,
      exit_code: exitCode,
      last_lines: [...lastLines],
      release: served.name,
      deploy_id: served.deploy_id,
    };
    const rollbackId = newId(at);
    await insertRollback(tx, { id: rollbackId, at, serverId, releaseId: served.id, deploy });
    await writeTakenBack(tx, deploy.id, takenBack);
    if (isLive) await noteTakeBack(tx, app.id, served.id);
    await insertEvents(tx, deploy.id, [{ kind: "taken_back", payload: { ...takenBack } }]);
    await insertAudit(tx, {
      actor: "system",
      action: "rollback.automatic",
      target: `deploy:${rollbackId}`,
      requestId: null,
      ownerId: app.owner_id,
      detail: { app: app.name, reason, exit_code: exitCode, taken_back: deploy.id, release_id: served.id },
    });
    await announceDeployEnd(tx, rollbackId, "success", address);
    // Domains that came or went while the proxy was switched.
    await notify(tx, "routes", app.id);
    return true;
  });
}
