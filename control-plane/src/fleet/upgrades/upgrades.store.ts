import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/** Begins anew unless one of the server goes on. @returns whether it has begun */
export async function beginUpgrade(tx: Db, serverId: string): Promise<boolean> {
  const anew = {
    state: "running",
    version: null,
    taken_at: null,
    reason: null,
    began_at: sql<Date>`now()`,
    ended_at: null,
  } as const;
  const result = await tx
    .insertInto("agent_upgrades")
    .values({ server_id: serverId, ...anew })
    .onConflict((conflict) =>
      conflict.column("server_id").doUpdateSet(anew).where("agent_upgrades.state", "<>", "running"),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export interface RunningUpgrade {
  serverId: string;
  /** Null until a process with the agent's link has begun. */
  version: string | null;
  isTaken: boolean;
  /** Since the agent had taken it; before that, since it was asked for. */
  ageMs: number;
  isRemoved: boolean;
  /** Whether some process has the agent's link. */
  isLinked: boolean;
  /** What the agent told last. */
  agentVersion: string | null;
  /** Whether that was after it had taken the version. */
  hasTold: boolean;
  /** JSON of svc.agent.v1.Status. */
  status: Record<string, unknown> | null;
}

export async function readRunningUpgrades(db: Db): Promise<RunningUpgrade[]> {
  const { rows } = await sql<RunningUpgrade>`
    select u.server_id as "serverId", u.version, u.taken_at is not null as "isTaken",
      (extract(epoch from now() - coalesce(u.taken_at, u.began_at)) * 1000)::float8 as "ageMs",
      s.agent_version as "agentVersion", s.status, s.state = 'removed' as "isRemoved",
      coalesce(s.link_until > now(), false) as "isLinked",
      coalesce(s.status_at > u.taken_at, false) as "hasTold"
    from agent_upgrades u join servers s on s.id = u.server_id
    where u.state = 'running'
  `.execute(db);
  return rows;
}

export async function noteVersion(db: Db, serverId: string, version: string): Promise<void> {
  await db
    .updateTable("agent_upgrades")
    .set({ version })
    .where("server_id", "=", serverId)
    .where("state", "=", "running")
    .execute();
}

export async function noteTaken(db: Db, serverId: string): Promise<void> {
  await db
    .updateTable("agent_upgrades")
    .set({ taken_at: sql<Date>`coalesce(taken_at, now())` })
    .where("server_id", "=", serverId)
    .where("state", "=", "running")
    .execute();
}

/** @param reason why it has failed; undefined when the agent runs the version */
export async function endUpgrade(db: Db, serverId: string, reason: string | undefined): Promise<void> {
  await db
    .updateTable("agent_upgrades")
    .set({ state: reason === undefined ? "done" : "failed", reason: reason ?? null, ended_at: sql<Date>`now()` })
    .where("server_id", "=", serverId)
    .where("state", "=", "running")
    .execute();
}

export interface UpgradeRow {
  state: "running" | "done" | "failed";
  version: string | null;
  reason: string | null;
}

export async function readUpgrade(db: Db, serverId: string): Promise<UpgradeRow | undefined> {
  return db
    .selectFrom("agent_upgrades")
    .select(["state", "version", "reason"])
    .where("server_id", "=", serverId)
    .executeTakeFirst();
}
