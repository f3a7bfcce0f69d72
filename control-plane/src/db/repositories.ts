import { sql } from "kysely";
import type { Db } from "./database.ts";

export interface RepositoryRow {
  id: string;
  owner_id: string;
  name: string;
  head_sha: string;
}

const COLUMNS = ["id", "owner_id", "name", "head_sha"] as const;

export async function insertRepository(
  tx: Db,
  repository: { id: string; ownerId: string; name: string; appId: string; headSha: string },
): Promise<void> {
  const { id, ownerId, name, appId, headSha } = repository;
  const row = { id, owner_id: ownerId, name, app_id: appId, head_sha: headSha };
  await tx.insertInto("repositories").values(row).execute();
}

export async function readRepository(db: Db, ownerId: string, name: string): Promise<RepositoryRow | undefined> {
  return db
    .selectFrom("repositories")
    .select(COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
}

export async function hasRepository(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("repositories").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Those that an app of the same owner deploys from on every push; `urlPrefix` is `{base_url}/git/`. */
export async function readRepositoriesDeployedOnPush(db: Db, urlPrefix: string): Promise<RepositoryRow[]> {
  return db
    .selectFrom("repositories as r")
    .select(COLUMNS.map((column) => `r.${column}` as const))
    .where(
      sql<boolean>`exists (
        select from apps a
        where a.owner_id = r.owner_id and a.deploy_on_push and a.repo_url = ${urlPrefix} || r.owner_id || '/' || r.name || '.git'
      )`,
    )
    .execute();
}

/** Whether the default branch is another than when it was looked at last; true for one of several that ask at once. */
export async function recordHead(tx: Db, id: string, headSha: string): Promise<boolean> {
  const result = await tx
    .updateTable("repositories")
    .set({ head_sha: headSha })
    .where("id", "=", id)
    .where("head_sha", "!=", headSha)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
