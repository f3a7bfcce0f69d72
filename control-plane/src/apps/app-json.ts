import { type RawBuilder, sql } from "kysely";
import type { AppRow } from "./app.ts";
import { noSuchApp } from "./find-app.ts";
import { AWAY_AFTER_SECONDS } from "../fleet/server.ts";
import { FRAMEWORK_NAMES, impliedPort } from "@svc/shared/rules/frameworks.ts";
import type { Db } from "../platform/database/database.ts";
import { preparedQuery } from "../platform/database/prepared-query.ts";

/** A literal, which is parsed once when the query is planned. */
const IMPLIED_PORTS = sql`${sql.lit(JSON.stringify(Object.fromEntries(FRAMEWORK_NAMES.map((name) => [name, impliedPort(name)]))))}::jsonb`;

/** The health as recorded, while the agent that observes it is there. */
const HEALTH = sql`case
  when a.status not in ('running', 'deploying') or a.current_release_id is null or a.server_id is null
    then '{"state":"unknown","reason":null,"since":null}'::json
  when s.link_until > now() and h.heard_at > now() - ${sql.lit(AWAY_AFTER_SECONDS)} * interval '1 second'
    then coalesce(a.health, '{"state":"unknown","reason":null,"since":null}'::json)
  else json_build_object('state', 'unknown', 'reason', 'server_away', 'since', ${isoTime("h.heard_at")})
  end`;

/** An app as the API shows it, made by PostgreSQL: decoding wide rows costs more than the rest. */
function appJson(urlSuffix: RawBuilder<unknown>) {
  return sql`json_build_object(
    'id', a.id,
    'name', a.name,
    'subdomain', a.name,
    'status', a.status,
    'stopped_by', case when a.platform_stop_holds then a.platform_stop end,
    'health', ${HEALTH},
    'git_repo', a.repo_url,
    'root', a.root,
    'database_name', a.database_name,
    'framework', coalesce(a.framework, a.detected_framework),
    'port', coalesce(a.port, a.detected_port, (${IMPLIED_PORTS} ->> a.framework)::integer),
    'memory', a.memory,
    'cpus', a.cpus,
    'url', 'https://' || a.name || ${urlSuffix},
    'needs_database', a.needs_database,
    'deploy_on_push', a.deploy_on_push,
    'has_deploy_key', exists (select from deploy_keys k where k.app_id = a.id),
    'server', s.name,
    'pool', a.pool,
    'label', a.label,
    'current_release', r.name,
    'created_at', ${isoTime("a.created_at")},
    'updated_at', ${isoTime("a.updated_at")},
    'last_deployed_at', ${isoTime("a.last_deployed_at")},
    'last_deploy', (
      select json_build_object('release', d.release, 'status', d.status, 'taken_back', d.taken_back is not null,
        'finished_at', ${isoTime("d.finished_at")})
      from deploys d
      where d.app_id = a.id and d.kind = 'deploy' and d.started_at is not null and d.finished_at is not null
      order by d.seq desc limit 1
    ))`;
}

const JOINS = sql`left join servers s on s.id = a.server_id left join server_hearings h on h.server_id = a.server_id
  left join releases r on r.id = a.current_release_id`;

/** Each page of an app asks for it. */
const selectApp = preparedQuery<Record<"ownerId" | "id" | "urlSuffix", string>, { json: string }>(
  "app",
  (value) => sql`
    select ${appJson(value("urlSuffix"))}::text as json from apps a ${JOINS}
    where a.owner_id = ${value("ownerId")} and a.id = ${value("id")}
  `,
);

/**
 * JSON text of the app.
 * @throws SvcError not_found when it was deleted meanwhile
 */
export async function readAppJson(
  db: Db,
  ownerId: string,
  { id, name }: Pick<AppRow, "id" | "name">,
  urlSuffix: string,
): Promise<string> {
  const [app] = await selectApp(db, { ownerId, id, urlSuffix });
  if (app === undefined) throw noSuchApp(name);
  return app.json;
}

export interface AppPage {
  urlSuffix: string;
  /** Names; null for all of the owner's. */
  only: readonly string[] | null;
  /** Null for no limit. */
  limit: number | null;
  /** The id of the last app of the page before. */
  after: string | null;
}

/** JSON text of an array, oldest first, and the id of its last app when there are more. */
export async function readAppsJson(
  db: Db,
  ownerIds: readonly string[],
  page: AppPage,
): Promise<{ json: string; next: string | undefined }> {
  const { limit, after, only, urlSuffix } = page;
  const values = { only, after, limit, oneMore: limit === null ? null : limit + 1, urlSuffix };
  const [ownerId, ...others] = ownerIds;
  const rows =
    others.length === 0
      ? await selectPageOfOne(db, { owners: ownerId, ...values })
      : await selectPageOfSeveral(db, { owners: ownerIds, ...values });
  return { json: rows[0]!.json, next: rows[0]!.ids?.[0] };
}

type PageValues = Record<"owners" | "only" | "after" | "limit" | "oneMore" | "urlSuffix", unknown>;
type Value = (of: keyof PageValues) => RawBuilder<never>;

/** The busiest query of all. */
const selectPageOfOne = preparedQuery("apps_page_of_one", (value: Value) => selectPage(value("owners"), value));
/** Its plan sorts; that of one owner reads the index in its order. */
const selectPageOfSeveral = preparedQuery("apps_page_of_several", (value: Value) =>
  selectPage(sql`any(${value("owners")}::uuid[])`, value),
);

function selectPage(owners: RawBuilder<unknown>, value: Value) {
  return sql<{ json: string; ids: string[] | null }>`
    with found as (
      select * from apps
      where owner_id = ${owners}
        and (${value("only")}::text[] is null or name = any(${value("only")}::text[]))
        and (${value("after")}::uuid is null or id > ${value("after")}::uuid)
      order by id
      limit ${value("oneMore")}
    ), page as (select * from found order by id limit ${value("limit")})
    select coalesce(json_agg(${appJson(value("urlSuffix"))} order by a.id), '[]')::text as json,
      case when (select count(*) from found) > count(*) then array[(array_agg(a.id order by a.id desc))[1]::text] end as ids
    from page a ${JOINS}
  `;
}

/** A column of type timestamptz as the API writes times: ISO 8601, UTC, milliseconds, as `Date.toISOString` does. */
function isoTime(column: string): RawBuilder<string | null> {
  return sql<string | null>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
