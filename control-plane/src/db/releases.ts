import { sql } from "kysely";
import type { Db } from "./database.ts";

/** The app's release of that name, provided that its deploy succeeded. */
export async function readSuccessfulRelease(db: Db, appId: string, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("releases as r")
    .innerJoin("deploys as d", "d.id", "r.deploy_id")
    .select("r.id")
    .where("r.app_id", "=", appId)
    .where("r.name", "=", name)
    .where("d.status", "=", "success")
    .executeTakeFirst();
  return row?.id;
}

export async function readCurrentRelease(db: Db, appId: string): Promise<string | undefined> {
  const row = await db.selectFrom("apps").select("current_release_id as id").where("id", "=", appId).executeTakeFirst();
  return row?.id ?? undefined;
}

/**
 * The release that was live before this one was deployed: what a rollback left behind is not gone back to. Without a
 * current one, the release that was live last.
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
    where id is not null
      and (${current ?? null}::uuid is null
        or seq < (select seq from went_live where id = ${current ?? null}::uuid and kind = 'deploy'))
    order by seq desc
    limit 1
  `.execute(db);
  return rows[0]?.id;
}
