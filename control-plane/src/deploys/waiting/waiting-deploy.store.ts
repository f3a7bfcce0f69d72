import { sql } from "kysely";
import { AWAY_AFTER_SECONDS } from "../../fleet/server.ts";
import type { Db } from "../../platform/database/database.ts";

export interface WaitingDeployRow {
  id: string;
  release: string;
  status: "pending" | "running";
  /** When it was asked for; of one that runs, when its agent was heard of last. */
  since: Date;
  isPlaced: boolean;
  isLinked: boolean;
  isBehind: boolean;
}

/** Reads the app's deploy that is still to begin, or that runs on a server that is away; an app has one at most. */
export async function readWaitingDeployRow(
  db: Db,
  ownerId: string,
  appId: string,
): Promise<WaitingDeployRow | undefined> {
  const { rows } = await sql<WaitingDeployRow>`
    select d.id, d.release, d.status, d.server_id is not null as "isPlaced", l.linked as "isLinked",
      case d.status when 'pending' then d.created_at else greatest(d.started_at, h.heard_at) end as since,
      exists (
        select 1 from deploys other
        where other.server_id = d.server_id and other.kind = 'deploy'
          and (other.status = 'running' or (other.status = 'pending' and other.seq < d.seq))
      ) as "isBehind"
    from deploys d
    join apps a on a.id = d.app_id
    left join servers s on s.id = d.server_id
    left join server_hearings h on h.server_id = d.server_id
    cross join lateral (
      select coalesce(s.link_until > now() and h.heard_at > now() - ${AWAY_AFTER_SECONDS} * interval '1 second', false) as linked
    ) l
    where d.app_id = ${appId} and a.owner_id = ${ownerId} and d.kind = 'deploy'
      and (d.status = 'pending' or (d.status = 'running' and not l.linked))
  `.execute(db);
  return rows[0];
}
