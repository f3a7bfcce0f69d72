import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import { STATUS_CHANGES, type StatusAfter, type StatusChange } from "../app.ts";

/** The only place that writes a status; an app that has it already may get it again. */
function changeStatus<C extends StatusChange>(tx: Db, change: C, status: StatusAfter<C>) {
  return tx
    .updateTable("apps")
    .set({ status, updated_at: now })
    .where("status", "in", [...STATUS_CHANGES[change].from, status]);
}

const now = sql<Date>`now()`;

/**
 * Counts one more deploy of the app and marks it as deploying, whatever serves meanwhile.
 * @returns which one it is, from 1
 */
export async function writeDeployStart(tx: Db, appId: string, serverId: string | null): Promise<number> {
  const row = await changeStatus(tx, "deployStarted", "deploying")
    .set({ deploy_count: sql<number>`deploy_count + 1`, server_id: serverId })
    .where("id", "=", appId)
    .returning("deploy_count")
    .executeTakeFirstOrThrow();
  return row.deploy_count;
}

/** @param isRollback when it is one, it counts as no deploy of the app */
export async function writeDeploySuccess(
  tx: Db,
  appId: string,
  { releaseId, isRollback }: { releaseId: string | null; isRollback: boolean },
): Promise<void> {
  await changeStatus(tx, "deploySucceeded", "running")
    .set({ current_release_id: releaseId, platform_stop_holds: false })
    .$if(!isRollback, (query) => query.set({ last_deployed_at: now }))
    .where("id", "=", appId)
    .execute();
}

export async function writeDeployFailure(tx: Db, appId: string, status: StatusAfter<"deployFailed">): Promise<void> {
  await changeStatus(tx, "deployFailed", status).where("id", "=", appId).execute();
}

export async function writeStartOrStop(tx: Db, appId: string, status: StatusAfter<"startedOrStopped">): Promise<void> {
  await changeStatus(tx, "startedOrStopped", status)
    // A stop ends the time in which the app was healthy.
    .$if(status === "stopped", (query) => query.set({ health: null }))
    .where("id", "=", appId)
    .execute();
}

/** Nothing of it is live any more; the next deploy revives it. */
export async function writeSoftStop(tx: Db, appId: string): Promise<void> {
  await changeStatus(tx, "deleted", "soft_stopped")
    .set({ current_release_id: null, platform_stop_holds: false })
    .where("id", "=", appId)
    .execute();
}

/** The apps have no host any more, so nothing of them is live. */
export async function writeServerRemoval(tx: Db, serverId: string): Promise<void> {
  await changeStatus(tx, "serverRemoved", "failed").where("server_id", "=", serverId).execute();
  await tx
    .updateTable("apps")
    .set({ server_id: null, current_release_id: null })
    .where("server_id", "=", serverId)
    .execute();
}

/** Another release serves than the one that was live. */
export async function writeCurrentRelease(tx: Db, appId: string, releaseId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ current_release_id: releaseId, updated_at: now })
    .where("id", "=", appId)
    .execute();
}
