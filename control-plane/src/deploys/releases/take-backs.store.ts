import { sql } from "kysely";
import { newId } from "@svc/shared/rules/ids.ts";
import type { AppsAddress } from "../../fleet/app-url.ts";
import { rollbackReleaseName } from "./release.ts";
import type { TakenBack } from "./taken-back.ts";
import { insertAudit } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { insertEvents } from "../events/deploy-events.store.ts";
import { notify } from "../../platform/database/notify.ts";
import { enqueueDeployNotice } from "../../webhooks/webhook-deliveries.store.ts";

/** The report of an agent: it has led the app's hosts from the container of one deploy back to that of another. */
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
  /** The last lines of the app's log, without secrets. */
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
    const app = await tx
      .selectFrom("apps")
      .select(["id", "name", "owner_id", "current_release_id"])
      .where("id", "=", observed.appId)
      .where("server_id", "=", serverId)
      .forNoKeyUpdate()
      .executeTakeFirst();
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
    await tx
      .updateTable("deploys")
      .set({ taken_back: JSON.stringify(takenBack) })
      .where("id", "=", deploy.id)
      .execute();
    if (isLive) {
      await tx
        .updateTable("apps")
        .set({ current_release_id: served.id, updated_at: sql<Date>`now()` })
        .where("id", "=", app.id)
        .execute();
    }
    await insertEvents(tx, deploy.id, [{ kind: "taken_back", payload: { ...takenBack } }]);
    await insertAudit(tx, {
      actor: "system",
      action: "rollback.automatic",
      target: `deploy:${rollbackId}`,
      requestId: null,
      ownerId: app.owner_id,
      detail: { app: app.name, reason, exit_code: exitCode, taken_back: deploy.id, release_id: served.id },
    });
    await enqueueDeployNotice(tx, rollbackId, "success", address);
    // Domains that came or went while the proxy was switched.
    await notify(tx, "routes", app.id);
    return true;
  });
}

interface LockedDeploy {
  id: string;
  app_id: string;
  user_id: string;
  status: string;
  taken_back: TakenBack | null;
  /** The release that the deploy made. */
  release_id: string | null;
}

async function lockDeployOf(tx: Db, id: string, appId: string): Promise<LockedDeploy | undefined> {
  return tx
    .selectFrom("deploys")
    .select(["id", "app_id", "user_id", "status", "taken_back"])
    .select(sql<string | null>`(select id from releases where deploy_id = deploys.id)`.as("release_id"))
    .where("id", "=", id)
    .where("app_id", "=", appId)
    .forUpdate()
    .executeTakeFirst();
}

/** A rollback's container runs the release that it went back to. */
async function readServedRelease(
  tx: Db,
  deployId: string,
  appId: string,
): Promise<{ id: string; name: string; deploy_id: string } | undefined> {
  return tx
    .selectFrom("deploys as d")
    .innerJoin("releases as r", (join) =>
      join.on(sql<boolean>`r.id = d.target_release_id or (d.target_release_id is null and r.deploy_id = d.id)`),
    )
    .select(["r.id", "r.name", "r.deploy_id"])
    .where("d.id", "=", deployId)
    .where("d.app_id", "=", appId)
    .executeTakeFirst();
}

/** It is over when it is recorded, and had no steps. */
async function insertRollback(
  tx: Db,
  rollback: { id: string; at: Date; serverId: string; releaseId: string; deploy: LockedDeploy },
): Promise<void> {
  const { id, at, serverId, releaseId, deploy } = rollback;
  await tx
    .insertInto("deploys")
    .values({
      id,
      app_id: deploy.app_id,
      user_id: deploy.user_id,
      server_id: serverId,
      status: "success",
      ref: null,
      release: rollbackReleaseName(id),
      kind: "rollback",
      target_release_id: releaseId,
      started_at: at,
      finished_at: at,
    })
    .execute();
}
