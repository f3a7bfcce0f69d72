import { sql } from "kysely";
import type { AppRow, PlatformStop } from "../apps/app.ts";
import type { HealthRecord } from "../apps/health/app-health.ts";
import type { Db } from "../platform/database/database.ts";

type LockedApp = Pick<AppRow, "id" | "name" | "owner_id" | "status">;

/** The ids of apps, as an agent told of them. */
export interface ObservedApps {
  /** Apps that their owner has stopped. */
  stopped: ReadonlySet<string>;
  serving: ReadonlySet<string>;
}

/**
 * The apps that are `running` here and stopped by their owner there, or the other way round. A move stops what it carries,
 * until it has succeeded or is taken back, and what it was before is its owner's.
 */
export function differingApps(db: Db, serverId: string, { stopped, serving }: ObservedApps) {
  return db
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "status"])
    .where("server_id", "=", serverId)
    .where(
      sql<boolean>`not exists (
        select from deploys d join deploy_steps s on s.deploy_id = d.id and s.step_name = 'clone_build'
        where d.app_id = apps.id and d.kind = 'move' and (d.status = 'running'
          or d.status <> 'success' and s.undo_registered_at is not null and s.undone_at is null))`,
    )
    .where((where) =>
      where.or([
        where.and([where("status", "=", "running"), where("id", "=", sql<string>`any(${[...stopped]}::uuid[])`)]),
        where.and([
          where("status", "=", "stopped"),
          where("platform_stop_holds", "=", false),
          where("id", "=", sql<string>`any(${[...serving]}::uuid[])`),
        ]),
      ]),
    );
}

/** The same of these alone; their rows stay locked until the transaction ends. */
export async function lockDiffering(
  tx: Db,
  serverId: string,
  observed: ObservedApps,
  ids: readonly string[],
): Promise<LockedApp[]> {
  // In an order in which two transactions never wait for each other.
  return differingApps(tx, serverId, observed)
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

/** A status that was observed before a start or a deploy ended may arrive this long after it. */
const LATE_SECONDS_MAX = 10;

export interface StoppedApp extends LockedApp {
  platform_stop: PlatformStop | null;
  platform_stop_holds: boolean;
  is_settled: boolean;
}

/** Locks the apps that are or were stopped there, in an order in which two transactions never wait for each other. */
export async function lockStopped(tx: Db, serverId: string, stopped: readonly string[]): Promise<StoppedApp[]> {
  return tx
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "status", "platform_stop", "platform_stop_holds"])
    .select(sql<boolean>`updated_at < now() - make_interval(secs => ${LATE_SECONDS_MAX})`.as("is_settled"))
    .where("server_id", "=", serverId)
    .where("status", "<>", "soft_stopped")
    .where((where) =>
      where.or([where("platform_stop_holds", "=", true), where("id", "=", sql<string>`any(${stopped}::uuid[])`)]),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

export interface LiveApp extends HealthRecord {
  id: string;
  name: string;
  owner_id: string;
  deploy_id: string;
}

/** Apps that should serve: one that was stopped is not unhealthy, whatever its agent still tells. */
export async function liveApps(db: Db, serverId: string, ids: readonly string[]): Promise<LiveApp[]> {
  return db
    .selectFrom("apps as a")
    .innerJoin("releases as r", "r.id", "a.current_release_id")
    .select(["a.id", "a.name", "a.owner_id", "a.health", "a.is_told_unhealthy as isToldUnhealthy", "r.deploy_id"])
    .where("a.server_id", "=", serverId)
    .where("a.id", "=", sql<string>`any(${ids}::uuid[])`)
    .where("a.status", "in", ["running", "deploying"])
    .execute();
}

/** Their rows stay locked until the transaction ends. */
export async function lockApps(tx: Db, ids: readonly string[]): Promise<void> {
  // In an order in which two transactions never wait for each other.
  await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "in", [...ids])
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}
