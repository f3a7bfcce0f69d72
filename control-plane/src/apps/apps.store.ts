import { sql } from "kysely";
import type { AppStatus } from "./app.ts";
import type { Db } from "../platform/database/database.ts";
import { releaseRepository } from "../repositories/repositories.store.ts";

/** The facts of an app that rules decide by. */
export interface AppRow {
  id: string;
  owner_id: string;
  name: string;
  status: AppStatus;
  repo_url: string | null;
  server_id: string | null;
  /** The release that is live, or would be if the app were started; null when there is none. */
  current_release_id: string | null;
}

export const APP_COLUMNS = ["id", "owner_id", "name", "status", "repo_url", "server_id", "current_release_id"] as const;

/** Rejects with a unique violation of `apps_name` when the name is taken. */
export async function insertApp(
  tx: Db,
  app: {
    id: string;
    ownerId: string;
    name: string;
    repoUrl: string | null;
    root: string | null;
    template: string | null;
    framework: string | null;
    port: number | null;
    needsDatabase: boolean;
  },
): Promise<void> {
  await tx
    .insertInto("apps")
    .values({
      id: app.id,
      owner_id: app.ownerId,
      name: app.name,
      status: "deploying",
      repo_url: app.repoUrl,
      root: app.root,
      template: app.template,
      framework: app.framework,
      port: app.port,
      needs_database: app.needsDatabase,
    })
    .execute();
}

export async function readApp(db: Db, ownerId: string, name: string): Promise<AppRow | undefined> {
  return db
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Reads the app that has the name; only to say why it is taken. */
export async function readNameHolder(db: Db, name: string): Promise<Pick<AppRow, "owner_id" | "status"> | undefined> {
  return db.selectFrom("apps").select(["owner_id", "status"]).where("name", "=", name).executeTakeFirst();
}

/**
 * The row stays locked until the transaction ends, though not against rows that refer to it: those may be written by
 * whoever holds a deploy's row, and both would wait for each other.
 */
export async function lockApp(tx: Db, ownerId: string, id: string): Promise<AppRow | undefined> {
  return tx
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function countApps(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("apps")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Counts one more deploy of the app and marks it as deploying, whatever serves meanwhile.
 * @returns which one it is, from 1
 */
export async function countDeploy(tx: Db, appId: string, serverId: string | null): Promise<number> {
  const row = await tx
    .updateTable("apps")
    .set({
      deploy_count: sql<number>`deploy_count + 1`,
      server_id: serverId,
      status: "deploying",
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", appId)
    .returning("deploy_count")
    .executeTakeFirstOrThrow();
  return row.deploy_count;
}

/** Stores the owner's change; it takes effect on the next deploy. */
export async function updateApp(
  tx: Db,
  appId: string,
  patch: {
    repoUrl?: string | undefined;
    /** Null for the repository's top. */
    root?: string | null | undefined;
    framework?: string | undefined;
    port?: number | undefined;
    deployOnPush?: boolean | undefined;
  },
): Promise<void> {
  await tx
    .updateTable("apps")
    .set({
      ...(patch.repoUrl === undefined ? {} : { repo_url: patch.repoUrl }),
      ...(patch.root === undefined ? {} : { root: patch.root }),
      ...(patch.framework === undefined ? {} : { framework: patch.framework }),
      ...(patch.port === undefined ? {} : { port: patch.port }),
      ...(patch.deployOnPush === undefined ? {} : { deploy_on_push: patch.deployOnPush }),
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", appId)
    .execute();
}

/**
 * Notes that the live release was started or stopped; once it runs, the platform does not keep it stopped. An app that
 * deploys goes back to this status when the deploy does not succeed. The caller holds the app's row.
 */
export async function recordAppStatus(
  tx: Db,
  app: Pick<AppRow, "id" | "status">,
  status: "running" | "stopped",
): Promise<void> {
  if (status === "running") await forgetPlatformStop(tx, app.id);
  if (app.status === "deploying") {
    await tx
      .updateTable("deploys")
      .set({ former_app_status: status })
      .where("app_id", "=", app.id)
      .where("status", "in", ["pending", "running"])
      .execute();
    return;
  }
  await tx
    .updateTable("apps")
    .set({ status, updated_at: sql<Date>`now()` })
    .where("id", "=", app.id)
    .where("status", "in", ["running", "stopped"])
    .execute();
}

async function forgetPlatformStop(tx: Db, appId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ platform_stop_holds: false, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .where("platform_stop_holds", "=", true)
    .execute();
}

/** Nothing of it is live any more; the next deploy revives it. */
export async function recordSoftStop(tx: Db, appId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ status: "soft_stopped", current_release_id: null, platform_stop_holds: false, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .execute();
}

/**
 * Deletes a soft-stopped app with everything that belongs to it and to no other; the name is free.
 * @returns false when it is not soft-stopped: it was deployed again meanwhile, or is gone
 */
export async function deleteStoppedApp(tx: Db, appId: string): Promise<boolean> {
  const isStopped = await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "=", appId)
    .where("status", "=", "soft_stopped")
    .forUpdate()
    .executeTakeFirst();
  if (!isStopped) return false;
  await releaseRepository(tx, appId);
  await tx.deleteFrom("apps").where("id", "=", appId).execute();
  return true;
}
