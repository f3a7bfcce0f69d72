import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";

export interface ActivityRow {
  id: string;
  at: Date;
  actor: string;
  /** The address of the person, or of the key's maker; null for the platform and the operator. */
  email: string | null;
  /** The name of the key that was used; null without one. */
  keyName: string | null;
  action: string;
  target: string;
  /** The name of the app, the team or the server, or the address of the person, that the target is; null when it has none, or is gone. */
  targetName: string | null;
  requestId: string | null;
  detail: Record<string, unknown>;
}

export interface ActivityFilter {
  /** An action, or the beginning of several: `app.` */
  action?: string | undefined;
  /** What a person did, with keys as well. */
  userId?: string | undefined;
  /** The id of the last entry of the page before. */
  before?: string | undefined;
  limit: number;
}

/**
 * Entries of the team, the newest first.
 * @param teamId null for those of the platform, which no team reads
 */
export async function readActivity(db: Db, teamId: string | null, filter: ActivityFilter): Promise<ActivityRow[]> {
  const { action = null, userId = null, before = null, limit } = filter;
  const { rows } = await sql<ActivityRow>`
    select l.id, l.at, l.actor, u.email, k.name as "keyName", l.action, l.target, l.request_id as "requestId", l.detail,
      case split_part(l.target, ':', 1)
        when 'app' then (select name from apps where id = t.id)
        when 'deploy' then (select a.name from deploys d join apps a on a.id = d.app_id where d.id = t.id)
        when 'server' then (select name from servers where id = t.id)
        when 'team' then (select name from teams where id = t.id)
        when 'user' then (select email from users where id = t.id)
      end as "targetName"
    from audit_log l
    left join api_keys k on k.id = case when l.actor like 'key:%' then substr(l.actor, 5)::uuid end
    left join users u
      on u.id = coalesce(k.user_id, case when l.actor like 'user:%' then substr(l.actor, 6)::uuid end)
    -- a target may be no id of ours
    cross join lateral (select case when split_part(l.target, ':', 2) ~ '^[0-9a-f-]{36}$'
      then split_part(l.target, ':', 2)::uuid end as id) t
    where ${teamId === null ? sql`l.owner_id is null` : sql`l.owner_id = ${teamId}`}
      and (${before}::bigint is null or l.id < ${before}::bigint)
      and (${action}::text is null or starts_with(l.action, ${action}::text))
      and (${userId}::uuid is null or u.id = ${userId}::uuid)
    order by l.id desc
    limit ${limit}
  `.execute(db);
  return rows;
}
