import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/**
 * A name stays in use after its deploy was removed: its digest is kept, some 100 bytes however long the name is. So many of
 * an app are what a deploy every five minutes leaves in a year; older ones may be used again (decision 015).
 */
const USED_NAMES_KEPT = 100_000;

/** Whether a deploy of the app has, or had, that name. */
export async function hasRelease(db: Db, appId: string, release: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 where exists (select from deploys where app_id = ${appId} and release = ${release})
      or exists (select from used_releases where app_id = ${appId} and digest = md5(${release})::uuid)
  `.execute(db);
  return rows.length > 0;
}

/**
 * The first number from `from` on for which no deploy of the app is or was called `v<number>`: users may give such names
 * too. Among one more number than there are names, one is free.
 */
export async function firstFreeReleaseNumber(db: Db, appId: string, from: number): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select number from generate_series(${from}::integer, ${from}::integer + (
      select count(*)::integer from deploys where app_id = ${appId}
    ) + (
      select count(*)::integer from used_releases where app_id = ${appId}
    )) as number
    where not exists (select from deploys where app_id = ${appId} and release = 'v' || number)
      and not exists (select from used_releases where app_id = ${appId} and digest = md5('v' || number)::uuid)
    order by number
    limit 1
  `.execute(db);
  return rows[0]!.number;
}

/** Runs before the deploys are removed. The caller holds the apps' rows. */
export async function keepReleaseNames(
  tx: Db,
  { appIds, deployIds, kept = USED_NAMES_KEPT }: { appIds: string[]; deployIds: string[]; kept?: number },
): Promise<void> {
  await sql`
    insert into used_releases (app_id, deploy_seq, digest)
    select app_id, seq, md5(release)::uuid from deploys where id = any(${deployIds}::uuid[]) and kind = 'deploy'
    on conflict do nothing
  `.execute(tx);
  await sql`
    delete from used_releases used using (
      select app.id, (
        select deploy_seq from used_releases where app_id = app.id order by deploy_seq desc offset ${kept} limit 1
      ) as last from unnest(${appIds}::uuid[]) app (id)
    ) beyond where used.app_id = beyond.id and used.deploy_seq <= beyond.last
  `.execute(tx);
}
