import { DEPLOYED_BY } from "../deploys.store.ts";
import { sql } from "kysely";
import type { ReleaseOf } from "./release.ts";
import type { Db } from "../../platform/database/database.ts";

/** How many releases that served last keep their image on the server, the one that serves among them. */
const IMAGES_KEPT = 5;

/** The app's release of that name, provided that its deploy succeeded. */
export async function readSuccessfulRelease(
  db: Db,
  appId: string,
  name: string,
): Promise<{ id: string; isImageKept: boolean } | undefined> {
  return db
    .selectFrom("releases as r")
    .innerJoin("deploys as d", "d.id", "r.deploy_id")
    .select(["r.id", "r.image_kept as isImageKept"])
    .where("r.app_id", "=", appId)
    .where("r.name", "=", name)
    .where("d.status", "=", "success")
    .executeTakeFirst();
}

export async function readCurrentRelease(db: Db, appId: string): Promise<string | undefined> {
  const row = await db.selectFrom("apps").select("current_release_id as id").where("id", "=", appId).executeTakeFirst();
  return row?.id ?? undefined;
}

/**
 * The release that was live before this one was deployed, of those whose image is kept: what a rollback left behind is not
 * gone back to, nor what was taken back. Without a current one, the release that was live last.
 */
export async function readPreviousRelease(
  db: Db,
  appId: string,
  current: string | undefined,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with went_live as (
      select d.seq, d.kind, coalesce(d.target_release_id, r.id) as id
      from deploys d left join releases r on r.deploy_id = d.id
      where d.app_id = ${appId} and d.status = 'success'
    )
    select id from went_live
    where id in (
        select r.id from releases r join deploys d on d.id = r.deploy_id
        where r.app_id = ${appId} and r.image_kept and d.taken_back is null)
      and (${current ?? null}::uuid is null
        or seq < (select seq from went_live where id = ${current ?? null}::uuid and kind = 'deploy'))
    order by seq desc
    limit 1
  `.execute(db);
  return rows[0]?.id;
}

/**
 * Settles which images the app keeps, when another release has become live: those of the last that served. The one that a
 * rollback goes back to is among them, since only these are gone back to. Once given up, an image is never needed again, so
 * that the server may remove it at any time.
 */
export async function settleKeptImages(tx: Db, appId: string): Promise<void> {
  await sql`
    with served as (
      select coalesce(d.target_release_id, r.id) as id, max(d.seq) as seq
      from deploys d left join releases r on r.deploy_id = d.id
      where d.app_id = ${appId} and d.status = 'success'
      group by 1
    ), kept as (
      select served.id from served join releases r on r.id = served.id
      where r.image_kept
      order by served.seq desc
      limit ${IMAGES_KEPT}
    )
    update releases set image_kept = false
    where app_id = ${appId} and image_kept and id not in (select id from kept)
  `.execute(tx);
}

/** The deploys whose images the app's server keeps. */
export async function readKeptDeploys(db: Db, appId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("releases")
    .select("deploy_id")
    .where("app_id", "=", appId)
    .where("image_kept", "=", true)
    .execute();
  return rows.map(({ deploy_id }) => deploy_id);
}

/** Reads what a release was started with, sealed for its deploy; whether or not that succeeded. Undefined while none was. */
export async function readReleaseEnv(
  db: Db,
  appId: string,
  of: ReleaseOf | "live",
): Promise<{ env: Buffer; deployId: string } | undefined> {
  const releases = db.selectFrom("releases").select(["env", "deploy_id as deployId"]).where("app_id", "=", appId);
  if (of === "live") {
    const live = db.selectFrom("apps").select("current_release_id").where("id", "=", appId);
    return releases.where("id", "=", live).executeTakeFirst();
  }
  const wanted =
    "deployId" in of ? releases.where("deploy_id", "=", of.deployId) : releases.where("name", "=", of.release);
  return wanted.executeTakeFirst();
}

/** Reads the same of the app's newest releases, the newest first. */
export function readReleaseEnvs(db: Db, appId: string, count: number): Promise<{ env: Buffer; deployId: string }[]> {
  return db
    .selectFrom("releases as r")
    .innerJoin("deploys as d", "d.id", "r.deploy_id")
    .select(["r.env", "r.deploy_id as deployId"])
    .where("r.app_id", "=", appId)
    .orderBy("d.seq", "desc")
    .limit(count)
    .execute();
}

/** @param name of the release; the one that serves when absent */
export async function readReleaseToCompare(db: Db, appId: string, name: string | undefined) {
  const releases = db
    .selectFrom("releases as r")
    .innerJoin("deploys as d", "d.id", "r.deploy_id")
    .select(["r.name", "r.deploy_id as deployId", "r.commit_sha as commitSha", "r.image_digest as imageDigest"])
    .select(["r.framework", "r.port", "r.env", "d.finished_at as deployedAt"])
    .select(["r.sealed", "r.written_at as writtenAt", DEPLOYED_BY.as("deployedBy")])
    .where("r.app_id", "=", appId);
  if (name !== undefined) return releases.where("r.name", "=", name).executeTakeFirst();
  const live = db.selectFrom("apps").select("current_release_id").where("id", "=", appId);
  return releases.where("r.id", "=", live).executeTakeFirst();
}

/**
 * A release as comparisons need it; its environment is sealed for its deploy. `deployedBy` is null once they are in the team no more;
 * `writtenAt` is empty for a release from before it was noted.
 */
export type ReleaseToCompare = NonNullable<Awaited<ReturnType<typeof readReleaseToCompare>>>;

/** No image is kept any more of the apps that live on this server. */
export async function forgetImages(tx: Db, serverId: string): Promise<void> {
  await tx
    .updateTable("releases")
    .set({ image_kept: false })
    .where("app_id", "in", (eb) => eb.selectFrom("apps").select("id").where("server_id", "=", serverId))
    .execute();
}
