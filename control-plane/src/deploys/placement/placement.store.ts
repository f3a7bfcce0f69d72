import { sql } from "kysely";
import { DEFAULT_POOL } from "@svc/shared/rules/servers/server-pool.ts";
import type { Candidate } from "./placement.ts";
import type { Db } from "../../platform/database/database.ts";

/** Tells this advisory lock from others of the same database; any constant will do. */
const PLACEMENT_LOCK = 1_386_530_742;

/**
 * Makes whoever else chooses servers wait until the transaction ends, so that they count what it has chosen. It is taken
 * after the app's row and before the server's.
 */
export async function lockPlacement(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PLACEMENT_LOCK})`.execute(tx);
}

/** Reads the servers that take new apps, without the memory of the apps that are coming. */
export async function readCandidateRows(db: Db): Promise<Omit<Candidate, "comingBytes">[]> {
  const { rows } = await sql<Omit<Candidate, "comingBytes">>`
    select s.id, s.name, s.pool, s.labels, coalesce(s.link_until > now(), false) as linked,
      (select count(*)::integer from apps a where a.server_id = s.id) as "appCount",
      (select count(*)::integer from deploys d where d.server_id = s.id and d.status = 'pending')
        + (select count(*)::integer from deploys d where d.server_id = s.id and d.status = 'running' and d.kind = 'deploy')
        as "openDeploys",
      coalesce((s.told_memory ->> 'promisedBytes')::float8, 0) as "promisedBytes",
      coalesce((s.told_memory ->> 'promisableBytes')::float8, 0) as "promisableBytes",
      (
        select max(1 - coalesce((disk ->> 'availableBytes')::float8, 0) / nullif((disk ->> 'totalBytes')::float8, 0))
        from jsonb_array_elements(s.told_disks) disk
      ) as "diskUsed",
      coalesce((s.told_cpu ->> 'load1m')::float8, 0) / nullif((s.told_cpu ->> 'cores')::float8, 0) as load
    from servers s
    where s.state = 'active'
  `.execute(db);
  return rows;
}

/** Apps of one kind that were placed on a server and hold nothing there yet. */
export interface ComingRow {
  serverId: string;
  tier: string;
  needsDatabase: boolean;
  count: number;
}

export async function readComing(db: Db): Promise<ComingRow[]> {
  const { rows } = await sql<ComingRow>`
    select a.server_id as "serverId", coalesce(t.tier, u.tier) as tier, a.needs_database as "needsDatabase",
      count(*)::integer as count
    from apps a join teams t on t.id = a.owner_id left join users u on u.id = t.user_id
    where a.server_id is not null and a.status = 'deploying' and a.current_release_id is null
    group by 1, 2, 3
  `.execute(db);
  return rows;
}

/** The server that an app asks for. */
export interface WishRow {
  appId: string;
  pool: string;
  /** Whether the app's team has the pool: it may have lost it, or have got the app from another. */
  hasPool: boolean;
  label: string | null;
  tier: string;
  needsDatabase: boolean;
}

/** In the order of the apps' open deploys. */
export async function readWishes(db: Db, appIds: readonly string[]): Promise<WishRow[]> {
  const { rows } = await sql<WishRow>`
    select a.id as "appId", coalesce(a.pool, ${DEFAULT_POOL}) as pool, a.label,
      coalesce(a.pool, ${DEFAULT_POOL}) = any(t.pools || ${DEFAULT_POOL}::text) as "hasPool",
      coalesce(t.tier, u.tier) as tier, a.needs_database as "needsDatabase"
    from apps a join teams t on t.id = a.owner_id left join users u on u.id = t.user_id
    left join deploys d on d.app_id = a.id and d.status in ('pending', 'running')
    where a.id = any(${appIds}::uuid[])
    order by d.seq
  `.execute(db);
  return rows;
}

/** Whether the server has a pending or running deploy; rollbacks run beside those. */
export async function isBusy(db: Db, serverId: string): Promise<boolean> {
  const open = await db
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "=", serverId)
    .where("kind", "=", "deploy")
    .where("status", "in", ["pending", "running"])
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** Deploys that wait are for no server from now on. */
export async function unplaceDeploys(tx: Db, serverId: string): Promise<void> {
  await tx
    .updateTable("deploys")
    .set({ server_id: null })
    .where("server_id", "=", serverId)
    .where("status", "=", "pending")
    .execute();
}

/** Whether any deploy waits for no server in particular. */
export async function hasUnplacedDeploys(db: Db): Promise<boolean> {
  const deploy = await db
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "is", null)
    .where("status", "=", "pending")
    .limit(1)
    .executeTakeFirst();
  return deploy !== undefined;
}

/** Apps with a deploy that waits for no server in particular, by id; their rows stay locked until the transaction ends. */
export async function lockUnplacedApps(tx: Db): Promise<string[]> {
  const apps = await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "in", (eb) =>
      eb.selectFrom("deploys").select("app_id").where("server_id", "is", null).where("status", "=", "pending"),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return apps.map(({ id }) => id);
}

/** Whether the server takes new apps, and then until the transaction ends. */
export async function lockActiveServer(tx: Db, id: string): Promise<boolean> {
  const server = await tx
    .selectFrom("servers")
    .select("state")
    .where("id", "=", id)
    .where("state", "=", "active")
    .forUpdate()
    .executeTakeFirst();
  return server !== undefined;
}

/** Gives the deploys of these apps that wait for no server in particular to this one. Returns the apps that had any. */
export async function placeDeploys(tx: Db, appIds: readonly string[], serverId: string): Promise<string[]> {
  const rows = await tx
    .updateTable("deploys")
    .set({ server_id: serverId })
    .where("server_id", "is", null)
    .where("status", "=", "pending")
    .where("app_id", "in", appIds)
    .returning("app_id")
    .execute();
  return rows.map((row) => row.app_id);
}
