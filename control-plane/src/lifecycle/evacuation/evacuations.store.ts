import { sql } from "kysely";
import type { DeployStatus } from "../../deploys/deploy.ts";
import type { Db } from "../../platform/database/database.ts";

/** Begins anew, or goes on with what has not ended. */
export async function beginEvacuation(tx: Db, serverId: string): Promise<void> {
  const anew = { state: "running", moved: 0, reason: null, began_at: sql<Date>`now()`, ended_at: null } as const;
  await tx
    .insertInto("evacuations")
    .values({ server_id: serverId, ...anew, deploy_id: null })
    .onConflict((conflict) =>
      conflict
        .column("server_id")
        .doUpdateSet({ ...anew, deploy_id: null })
        .where("evacuations.state", "<>", "running"),
    )
    .execute();
}

export async function readRunningEvacuations(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("evacuations").select("server_id").where("state", "=", "running").execute();
  return rows.map((row) => row.server_id);
}

export interface LockedEvacuation {
  server: string;
  isDraining: boolean;
  /** The move that goes on, or was the last. */
  move: { app: string; status: DeployStatus; error: string | null } | undefined;
}

/** The row stays locked until the transaction ends; undefined when it does not run, or another process has it. */
export async function lockEvacuation(tx: Db, serverId: string): Promise<LockedEvacuation | undefined> {
  const row = await tx
    .selectFrom("evacuations")
    .select("deploy_id")
    .where("server_id", "=", serverId)
    .where("state", "=", "running")
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row) return undefined;
  const server = await tx
    .selectFrom("servers")
    .select(["name", "state"])
    .where("id", "=", serverId)
    .executeTakeFirstOrThrow();
  const move = await tx
    .selectFrom("deploys as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["a.name as app", "d.status", "d.error"])
    .where("d.id", "=", row.deploy_id)
    .executeTakeFirst();
  return { server: server.name, isDraining: server.state === "draining", move };
}

/** @param options.hasMoved the last move has succeeded */
export async function noteMove(
  tx: Db,
  serverId: string,
  { deployId, hasMoved }: { deployId: string | null; hasMoved: boolean },
): Promise<void> {
  await tx
    .updateTable("evacuations")
    .set({ deploy_id: deployId, reason: null, ...(hasMoved && { moved: sql<number>`moved + 1` }) })
    .where("server_id", "=", serverId)
    .execute();
}

/** Notes what it waits for. */
export async function noteReason(db: Db, serverId: string, reason: string): Promise<void> {
  await db.updateTable("evacuations").set({ reason }).where("server_id", "=", serverId).execute();
}

/** @param reason undefined when every app has moved */
export async function endEvacuation(tx: Db, serverId: string, reason: string | undefined): Promise<void> {
  await tx
    .updateTable("evacuations")
    .set({ state: reason === undefined ? "done" : "stopped", reason: reason ?? null, ended_at: sql<Date>`now()` })
    .where("server_id", "=", serverId)
    .execute();
}

/** The apps on the server, by name; those that deploy or move are busy. */
export async function readAppsToMove(
  tx: Db,
  serverId: string,
): Promise<{ id: string; owner_id: string; name: string; isBusy: boolean }[]> {
  return tx
    .selectFrom("apps as a")
    .select(["a.id", "a.owner_id", "a.name"])
    .select(
      sql<boolean>`exists (select from deploys d where d.app_id = a.id and d.status in ('pending', 'running'))`.as(
        "isBusy",
      ),
    )
    .where("a.server_id", "=", serverId)
    .orderBy("a.name")
    .execute();
}

export interface EvacuationRow {
  state: "running" | "stopped" | "done";
  moved: number;
  left: number;
  /** The app that moves now. */
  moving: string | null;
  reason: string | null;
}

export async function readEvacuation(db: Db, serverId: string): Promise<EvacuationRow | undefined> {
  const { rows } = await sql<EvacuationRow>`
    select e.state, e.moved, e.reason,
      (select count(*)::integer from apps where server_id = e.server_id) as "left",
      (select a.name from deploys d join apps a on a.id = d.app_id
        where d.id = e.deploy_id and d.status = 'running') as moving
    from evacuations e where e.server_id = ${serverId}
  `.execute(db);
  return rows[0];
}
