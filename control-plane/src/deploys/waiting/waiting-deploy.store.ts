import { sql } from "kysely";
import { DEFAULT_POOL } from "@svc/shared/rules/servers/server-pool.ts";
import { MEMORY_BYTES } from "@svc/shared/spec/resources.ts";
import { AWAY_AFTER_SECONDS } from "../../fleet/server.ts";
import type { Db } from "../../platform/database/database.ts";
import type { SuitedServers } from "./waits-for.ts";

export interface WaitingDeployRow {
  id: string;
  release: string;
  status: "pending" | "running";
  /** When it was asked for; of one that runs, when its agent was heard of last. */
  since: Date;
  /** Null while no server takes the app. */
  server: string | null;
  isLinked: boolean;
  isBehind: boolean;
  /** The app of the same owner whose deploy runs on the server, or is the first in its queue. */
  ahead: string | null;
  pool: string | null;
  label: string | null;
}

/**
 * Reads the app's deploy that is still to begin, or that runs on a server that is away; an app has one at most.
 * @param visibleApps names of the apps that the caller may see; null for all of the owner's
 */
export async function readWaitingDeployRow(
  db: Db,
  { ownerId, appId, visibleApps }: { ownerId: string; appId: string; visibleApps: readonly string[] | null },
): Promise<WaitingDeployRow | undefined> {
  const { rows } = await sql<WaitingDeployRow>`
    select d.id, d.release, d.status, s.name as server, l.linked as "isLinked", a.pool, a.label,
      case d.status when 'pending' then d.created_at else greatest(d.started_at, h.heard_at) end as since,
      first.id is not null as "isBehind",
      case when first.owner_id = a.owner_id and (${visibleApps}::text[] is null or first.name = any(${visibleApps}::text[]))
        then first.name end as ahead
    from deploys d
    join apps a on a.id = d.app_id
    left join servers s on s.id = d.server_id
    left join server_hearings h on h.server_id = d.server_id
    cross join lateral (
      select coalesce(s.link_until > now() and h.heard_at > now() - ${AWAY_AFTER_SECONDS} * interval '1 second', false) as linked
    ) l
    left join lateral (
      select other.id, holder.name, holder.owner_id
      from deploys other left join apps holder on holder.id = other.app_id
      where other.server_id = d.server_id and other.kind = 'deploy' and other.id <> d.id
        and (other.status = 'running' or (other.status = 'pending' and other.seq < d.seq))
      order by other.status desc, other.seq
      limit 1
    ) first on true
    where d.app_id = ${appId} and a.owner_id = ${ownerId} and d.kind = 'deploy'
      and (d.status = 'pending' or (d.status = 'running' and not l.linked))
  `.execute(db);
  return rows[0];
}

/** Counts the servers that the app may live on, as far as it has asked for some. */
export async function readSuitedServers(db: Db, appId: string): Promise<SuitedServers> {
  const { rows } = await sql<SuitedServers>`
    select count(s.id)::integer as all,
      (count(s.id) filter (where s.state = 'active'))::integer as active,
      (count(s.id) filter (where s.state = 'active' and not (
        coalesce((s.told_memory ->> 'promisableBytes')::float8, 0) > 0
        and coalesce((s.told_memory ->> 'promisedBytes')::float8, 0) + ${MEMORY_BYTES.min}
          > (s.told_memory ->> 'promisableBytes')::float8
      )))::integer as roomy
    from apps a join teams t on t.id = a.owner_id
    left join servers s on s.state in ('active', 'draining') and s.pool = coalesce(a.pool, ${DEFAULT_POOL})
      and s.pool = any(t.pools || ${DEFAULT_POOL}::text) and (a.label is null or a.label = any(s.labels))
    where a.id = ${appId}
  `.execute(db);
  return rows[0]!;
}
