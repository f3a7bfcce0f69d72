import type { Db } from "../../platform/database/database.ts";
import { APP_COLUMNS, type AppRow } from "../apps.store.ts";

/** An app with a pushed commit that waits for its deploy. */
export interface PushedApp extends AppRow {
  pushed_sha: string;
  pushed_by_key: string | null;
}

/**
 * Marks the owner's apps that deploy from the URL on every push; a later push takes the place of an earlier one.
 * @param push.only names of apps; null for all of them
 */
export async function markPushed(
  tx: Db,
  push: { ownerId: string; repoUrl: string; sha: string; keyId: string | undefined; only: readonly string[] | null },
): Promise<string[]> {
  const rows = await tx
    .updateTable("apps")
    .set({ pushed_sha: push.sha, pushed_by_key: push.keyId ?? null })
    .where("owner_id", "=", push.ownerId)
    .where("repo_url", "=", push.repoUrl)
    .where("deploy_on_push", "=", true)
    .where("status", "!=", "soft_stopped")
    .$if(push.only !== null, (query) => query.where("name", "in", push.only!))
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Reads the apps of all owners: the caller is the platform. */
export async function readPushedAppIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("apps").select("id").where("pushed_sha", "is not", null).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Is locked until the transaction ends; undefined when another process has it, or has done it. */
export async function lockPushedApp(tx: Db, id: string): Promise<PushedApp | undefined> {
  const row = await tx
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .select(["pushed_sha", "pushed_by_key"])
    .where("id", "=", id)
    .where("pushed_sha", "is not", null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  const sha = row?.pushed_sha;
  return row && typeof sha === "string" ? { ...row, pushed_sha: sha } : undefined;
}

export async function clearPushed(tx: Db, id: string): Promise<void> {
  await tx.updateTable("apps").set({ pushed_sha: null, pushed_by_key: null }).where("id", "=", id).execute();
}

export interface NewestDeploy {
  status: string;
  ref: string | null;
  commit_sha: string | null;
}

/** Locked, so that a queued one does not start before the transaction ends. */
export async function lockNewestDeploy(tx: Db, appId: string): Promise<NewestDeploy | undefined> {
  return tx
    .selectFrom("deploys")
    .select(["status", "ref", "commit_sha"])
    .where("app_id", "=", appId)
    .where("kind", "=", "deploy")
    .orderBy("seq", "desc")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
}
