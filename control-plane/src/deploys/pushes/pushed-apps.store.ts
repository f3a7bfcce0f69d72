import type { AppRow } from "../../apps/app.ts";
import { APP_COLUMNS } from "../../apps/app.ts";
import type { Db } from "../../platform/database/database.ts";

/** An app with a pushed commit that waits for its deploy. */
export interface PushedApp extends AppRow {
  pushed_sha: string;
  pushed_by_key: string | null;
}

/** Lists those of all owners: the caller is the platform. */
export async function readPushedAppIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("apps").select("id").where("pushed_sha", "is not", null).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Locked until the transaction ends; undefined when another process has it, or has done it. */
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
