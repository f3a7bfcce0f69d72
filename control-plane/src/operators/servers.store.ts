import { sql } from "kysely";
import type { AppStatus } from "../apps/app.ts";
import type { DeployKind } from "../deploys/deploy.ts";
import { AWAY_AFTER_SECONDS, type ServerState } from "../fleet/server.ts";
import type { Db } from "../platform/database/database.ts";

/** A server with the figures that operators watch; times are the database's. */
export interface ServerOverviewRow {
  id: string;
  name: string;
  state: ServerState;
  pool: string;
  labels: string[];
  /** As an operator has set it. */
  address: string | null;
  /** Where its agent was at its last link. */
  linkedFrom: string | null;
  /** Whether its agent has been heard of within 10 s. */
  linked: boolean;
  heardAt: Date | null;
  agentVersion: string | null;
  certificateUntil: Date | null;
  joinedAt: Date | null;
  /** The parts of the stored svc.agent.v1.Status, as JSON, that are figures of the host. */
  figures: Record<string, unknown>;
  figuresAt: Date | null;
  appCount: number;
  queueLength: number;
  oldestWaitsSince: Date | null;
}

/** Servers that were not removed, by name. @param name the one of that name alone */
export async function readServerOverviews(db: Db, name?: string): Promise<ServerOverviewRow[]> {
  const { rows } = await sql<ServerOverviewRow>`
    select s.id, s.name, s.state, s.pool, s.labels, s.address, s.linked_from as "linkedFrom", h.heard_at as "heardAt", s.agent_version as "agentVersion",
      coalesce(s.link_until > now() and h.heard_at > now() - ${AWAY_AFTER_SECONDS} * interval '1 second', false) as linked,
      s.certificate_until as "certificateUntil", s.joined_at as "joinedAt", s.status_at as "figuresAt",
      jsonb_strip_nulls(jsonb_build_object('cpu', s.status->'cpu', 'memory', s.status->'memory',
        'disks', s.status->'disks', 'lock', s.status->'lock')) as figures,
      (select count(*)::integer from apps a where a.server_id = s.id) as "appCount",
      q.length as "queueLength", q.oldest as "oldestWaitsSince"
    from servers s
    left join server_hearings h on h.server_id = s.id
    cross join lateral (
      select count(*)::integer as length, min(created_at) as oldest
      from deploys d where d.server_id = s.id and d.status = 'pending'
    ) q
    where s.state <> 'removed' and (${name ?? null}::text is null or s.name = ${name ?? null})
    order by s.name
  `.execute(db);
  return rows;
}

/** Deploys that wait because no server takes them. */
export async function countUnplaced(db: Db): Promise<{ length: number; oldest: Date | null }> {
  const { rows } = await sql<{ length: number; oldest: Date | null }>`
    select count(*)::integer as length, min(created_at) as oldest
    from deploys where server_id is null and status = 'pending'
  `.execute(db);
  return rows[0]!;
}

export interface OpenDeployRow {
  id: string;
  app: string;
  kind: DeployKind;
  status: "pending" | "running";
  createdAt: Date;
  startedAt: Date | null;
}

/** The server's deploys that run, then those that wait, in their order. */
export async function readOpenDeploys(db: Db, serverId: string, limit: number): Promise<OpenDeployRow[]> {
  const { rows } = await sql<OpenDeployRow>`
    select d.id, a.name as app, d.kind, d.status, d.created_at as "createdAt", d.started_at as "startedAt"
    from deploys d join apps a on a.id = d.app_id
    where d.server_id = ${serverId} and d.status in ('pending', 'running')
    order by d.status desc, d.seq
    limit ${limit}
  `.execute(db);
  return rows;
}

/** Names of the apps of these deploys, by deploy. */
export async function readAppNames(db: Db, deployIds: readonly string[]): Promise<Map<string, string>> {
  if (deployIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("deploys as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["d.id", "a.name"])
    .where("d.id", "in", deployIds)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Names of the apps that live on the server, their states and their teams, by name. */
export async function readAppsOn(
  db: Db,
  serverId: string,
  limit: number,
): Promise<{ name: string; status: AppStatus; team: string }[]> {
  return db
    .selectFrom("apps as a")
    .innerJoin("teams as t", "t.id", "a.owner_id")
    .select(["a.name", "a.status", "t.name as team"])
    .where("a.server_id", "=", serverId)
    .orderBy("a.name")
    .limit(limit)
    .execute();
}
