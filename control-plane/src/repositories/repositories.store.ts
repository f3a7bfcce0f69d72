import { sql } from "kysely";
import type { Db } from "../platform/database/database.ts";
import type { Row } from "../platform/database/schema.ts";

const COLUMNS = ["id", "owner_id", "name", "head_sha"] as const;

/** `head_sha` is the head of the default branch at the last look; null while it has no commit. */
export type RepositoryRow = Row<"repositories", (typeof COLUMNS)[number]>;

export async function insertRepository(
  tx: Db,
  repository: { id: string; ownerId: string; name: string; appId: string | null; headSha: string | null },
): Promise<void> {
  const { id, ownerId, name, appId, headSha } = repository;
  const row = { id, owner_id: ownerId, name, app_id: appId, head_sha: headSha };
  await tx.insertInto("repositories").values(row).execute();
}

/** Keeps one that no app deploys from yet for a while longer. */
export async function renewRepository(tx: Db, id: string): Promise<void> {
  await tx
    .updateTable("repositories")
    .set({ asked_for_at: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
}

/**
 * From now on it goes with the app, provided that it was made for none and the app has no other. The row is locked
 * either way: who purges another app of the repository sees this one (releaseRepository).
 */
export async function adoptRepository(tx: Db, repositoryId: string, appId: string): Promise<void> {
  const isFree = sql<boolean>`app_id is null and not exists (select from repositories other where other.app_id = ${appId})`;
  await tx
    .updateTable("repositories")
    .set({ app_id: sql<string | null>`case when ${isFree} then ${appId}::uuid else app_id end` })
    .where("id", "=", repositoryId)
    .execute();
}

/**
 * Releases the app's repository: it goes with the app, unless another app of the owner deploys from it: then it belongs
 * to none.
 */
export async function releaseRepository(tx: Db, appId: string): Promise<void> {
  // Is locked before it is looked who else uses it.
  await tx.selectFrom("repositories").select("id").where("app_id", "=", appId).forUpdate().execute();
  await tx
    .updateTable("repositories as r")
    .set({ app_id: null })
    .where("r.app_id", "=", appId)
    .where(isDeployedFrom(appId))
    .execute();
}

/**
 * Whether an app of the owner, other than that one, deploys from the repository `r`. Whichever address the installation
 * had when the app was made, its end says whose repository it is.
 */
function isDeployedFrom(exceptAppId: string) {
  return sql<boolean>`exists (
    select from apps a
    where a.owner_id = r.owner_id and a.id <> ${exceptAppId}::uuid
      and a.repo_url like '%/git/' || r.owner_id || '/' || r.name || '.git'
  )`;
}

/** Whether an app of its owner, other than that one, deploys from it. */
export async function isUsedByOthers(db: Db, id: string, exceptAppId: string): Promise<boolean> {
  const row = await db
    .selectFrom("repositories as r")
    .select("r.id")
    .where("r.id", "=", id)
    .where(isDeployedFrom(exceptAppId))
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives it to another owner, with the app that it belongs to from now on. */
export async function moveRepository(tx: Db, id: string, appId: string, ownerId: string): Promise<void> {
  await tx.updateTable("repositories").set({ owner_id: ownerId, app_id: appId }).where("id", "=", id).execute();
}

/** Counts the owner's repositories that belong to no app. */
export async function countUnclaimedRepositories(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("repositories")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("owner_id", "=", ownerId)
    .where("app_id", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Deletes the owner's one of that name, provided that it was made for no app and no app but `exceptAppId` deploys from
 * it. Its folder is swept away.
 * @returns its id; undefined when there is none, or it stays
 */
export async function deleteUnclaimedRepository(
  tx: Db,
  { ownerId, name, exceptAppId }: { ownerId: string; name: string; exceptAppId: string },
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom("repositories as r")
    .where("r.owner_id", "=", ownerId)
    .where("r.name", "=", name)
    .where("r.app_id", "is", null)
    .where(({ not }) => not(isDeployedFrom(exceptAppId)))
    .returning("r.id")
    .executeTakeFirst();
  return row?.id;
}

/**
 * Deletes those that were made for no app, were asked for longer ago than that, and that no app of their owner deploys
 * from; `urlPrefix` is `{base_url}/git/`. Their folders are swept away.
 * @returns how many
 */
export async function deleteUnusedRepositories(db: Db, urlPrefix: string, askedForBefore: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("repositories as r")
    .where("r.app_id", "is", null)
    .where("r.asked_for_at", "<", askedForBefore)
    .where(
      sql<boolean>`not exists (
        select from apps a
        where a.owner_id = r.owner_id and a.repo_url = ${urlPrefix} || r.owner_id || '/' || r.name || '.git'
      )`,
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export async function readRepository(db: Db, ownerId: string, name: string): Promise<RepositoryRow | undefined> {
  return db
    .selectFrom("repositories")
    .select(COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
}

export async function readRepositoryIds(db: Db, ownerId: string): Promise<string[]> {
  const rows = await db.selectFrom("repositories").select("id").where("owner_id", "=", ownerId).execute();
  return rows.map(({ id }) => id);
}

export async function hasRepository(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom("repositories").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Whether the default branch is another than when it was looked at last; true for one of several that ask at once. */
export async function recordHead(tx: Db, id: string, headSha: string): Promise<boolean> {
  const result = await tx
    .updateTable("repositories")
    .set({ head_sha: headSha })
    .where("id", "=", id)
    .where("head_sha", "is distinct from", headSha)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
