import { CompiledQuery, sql, type RawBuilder } from "kysely";
import { AWAY_AFTER_SECONDS } from "../domain/app-health.ts";
import type { AppStatus } from "../domain/app.ts";
import { FRAMEWORKS, impliedPort } from "../domain/framework.ts";
import { prepareOncePerConnection } from "./prepared-statements.ts";
import type { Db } from "./database.ts";
import { isoTime } from "./iso-time.ts";
import { releaseRepository } from "./repositories.ts";

/** What rules are decided by. */
export interface AppRow {
  id: string;
  owner_id: string;
  name: string;
  status: AppStatus;
  repo_url: string | null;
  server_id: string | null;
  /** The release that is live, or would be if the app were started; null when there is none. */
  current_release_id: string | null;
}

export const APP_COLUMNS = ["id", "owner_id", "name", "status", "repo_url", "server_id", "current_release_id"] as const;

/** Rejects with a unique violation of `apps_name` when the name is taken. */
export async function insertApp(
  tx: Db,
  app: {
    id: string;
    ownerId: string;
    name: string;
    repoUrl: string | null;
    template: string | null;
    framework: string | null;
    port: number | null;
    needsDatabase: boolean;
  },
): Promise<void> {
  await tx
    .insertInto("apps")
    .values({
      id: app.id,
      owner_id: app.ownerId,
      name: app.name,
      status: "deploying",
      repo_url: app.repoUrl,
      template: app.template,
      framework: app.framework,
      port: app.port,
      needs_database: app.needsDatabase,
    })
    .execute();
}

export async function readApp(db: Db, ownerId: string, name: string): Promise<AppRow | undefined> {
  return db
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("name", "=", name)
    .executeTakeFirst();
}

/** Whoever has the name; only to say why it is taken. */
export async function readNameHolder(db: Db, name: string): Promise<Pick<AppRow, "owner_id" | "status"> | undefined> {
  return db.selectFrom("apps").select(["owner_id", "status"]).where("name", "=", name).executeTakeFirst();
}

/**
 * The row stays locked until the transaction ends, though not against rows that refer to it: those may be written by
 * whoever holds a deploy's row, and both would wait for each other.
 */
export async function lockApp(tx: Db, ownerId: string, id: string): Promise<AppRow | undefined> {
  return tx
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function countApps(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("apps")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Counts one more deploy of the app and marks it as deploying, whatever serves meanwhile.
 * @returns which one it is, from 1
 */
export async function countDeploy(tx: Db, appId: string, serverId: string | null): Promise<number> {
  const row = await tx
    .updateTable("apps")
    .set({
      deploy_count: sql<number>`deploy_count + 1`,
      server_id: serverId,
      status: "deploying",
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", appId)
    .returning("deploy_count")
    .executeTakeFirstOrThrow();
  return row.deploy_count;
}

/** What the owner changes; it takes effect on the next deploy. */
export async function updateApp(
  tx: Db,
  appId: string,
  patch: {
    repoUrl?: string | undefined;
    framework?: string | undefined;
    port?: number | undefined;
    deployOnPush?: boolean | undefined;
  },
): Promise<void> {
  await tx
    .updateTable("apps")
    .set({
      ...(patch.repoUrl === undefined ? {} : { repo_url: patch.repoUrl }),
      ...(patch.framework === undefined ? {} : { framework: patch.framework }),
      ...(patch.port === undefined ? {} : { port: patch.port }),
      ...(patch.deployOnPush === undefined ? {} : { deploy_on_push: patch.deployOnPush }),
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", appId)
    .execute();
}

/**
 * Notes that the live release was started or stopped; once it runs, the platform does not keep it stopped. An app that
 * deploys goes back to this status when the deploy does not succeed. The caller holds the app's row.
 */
export async function recordAppStatus(
  tx: Db,
  app: Pick<AppRow, "id" | "status">,
  status: "running" | "stopped",
): Promise<void> {
  if (status === "running") await forgetPlatformStop(tx, app.id);
  if (app.status === "deploying") {
    await tx
      .updateTable("deploys")
      .set({ former_app_status: status })
      .where("app_id", "=", app.id)
      .where("status", "in", ["pending", "running"])
      .execute();
    return;
  }
  await tx
    .updateTable("apps")
    .set({ status, updated_at: sql<Date>`now()` })
    .where("id", "=", app.id)
    .where("status", "in", ["running", "stopped"])
    .execute();
}

async function forgetPlatformStop(tx: Db, appId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ platform_stop_holds: false, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .where("platform_stop_holds", "=", true)
    .execute();
}

/** Nothing of it is live any more; the next deploy revives it. */
export async function recordSoftStop(tx: Db, appId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ status: "soft_stopped", current_release_id: null, platform_stop_holds: false, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .execute();
}

/**
 * Deletes a soft-stopped app with everything that belongs to it and to no other; the name is free.
 * @returns false when it is not soft-stopped: it was deployed again meanwhile, or is gone
 */
export async function deleteStoppedApp(tx: Db, appId: string): Promise<boolean> {
  const isStopped = await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "=", appId)
    .where("status", "=", "soft_stopped")
    .forUpdate()
    .executeTakeFirst();
  if (!isStopped) return false;
  await releaseRepository(tx, appId);
  await tx.deleteFrom("apps").where("id", "=", appId).execute();
  return true;
}

const IMPLIED_PORTS = JSON.stringify(Object.fromEntries(FRAMEWORKS.map((name) => [name, impliedPort(name)])));

/** As it is recorded, while the agent that observes it is there (decisions, Health). */
const HEALTH = sql`case
  when a.status not in ('running', 'deploying') or a.current_release_id is null or a.server_id is null
    then '{"state":"unknown","reason":null,"since":null}'::json
  when s.link_until > now() and h.heard_at > now() - ${sql.lit(AWAY_AFTER_SECONDS)} * interval '1 second'
    then coalesce(a.health, '{"state":"unknown","reason":null,"since":null}'::json)
  else json_build_object('state', 'unknown', 'reason', 'server_away', 'since', ${isoTime("h.heard_at")})
  end`;

/** An app as the API shows it (specification, App), made by PostgreSQL: decoding wide rows costs more than the rest. */
function appJson(urlSuffix: RawBuilder<unknown>) {
  return sql`json_build_object(
    'id', a.id,
    'name', a.name,
    'subdomain', a.name,
    'status', a.status,
    'stopped_by', case when a.platform_stop_holds then a.platform_stop end,
    'health', ${HEALTH},
    'git_repo', a.repo_url,
    'database_name', a.database_name,
    'framework', coalesce(a.framework, a.detected_framework),
    'port', coalesce(a.port, a.detected_port, (${IMPLIED_PORTS}::jsonb ->> a.framework)::integer),
    'url', 'https://' || a.name || ${urlSuffix},
    'needs_database', a.needs_database,
    'deploy_on_push', a.deploy_on_push,
    'server', s.name,
    'current_release', r.name,
    'created_at', ${isoTime("a.created_at")},
    'updated_at', ${isoTime("a.updated_at")},
    'last_deployed_at', ${isoTime("a.last_deployed_at")})`;
}

const JOINS = sql`left join servers s on s.id = a.server_id left join server_hearings h on h.server_id = a.server_id
  left join releases r on r.id = a.current_release_id`;

/** JSON text of the app. */
export async function readAppJson(db: Db, ownerId: string, id: string, urlSuffix: string): Promise<string> {
  const { rows } = await sql<{ json: string }>`
    select ${appJson(sql`${urlSuffix}`)}::text as json from apps a ${JOINS} where a.owner_id = ${ownerId} and a.id = ${id}
  `.execute(db);
  return rows[0]!.json;
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
  ownerId: string,
  page: AppPage,
): Promise<{ json: string; next: string | undefined }> {
  const { limit, after, only, urlSuffix } = page;
  const values: PageValues = { ownerId, only, after, limit, oneMore: limit === null ? null : limit + 1, urlSuffix };
  const { sql: text, parameters } = (pageQuery ??= preparePage(db));
  const bound = parameters.map((parameter) => (parameter instanceof Placeholder ? values[parameter.of] : parameter));
  const { rows } = await db.executeQuery<{ json: string; ids: string[] | null }>(CompiledQuery.raw(text, bound));
  return { json: rows[0]!.json, next: rows[0]!.ids?.[0] };
}

type PageValues = Record<"ownerId" | "only" | "after" | "limit" | "oneMore" | "urlSuffix", unknown>;

/** Stands in the compiled query for a value of each call. */
class Placeholder {
  readonly of: keyof PageValues;

  constructor(of: keyof PageValues) {
    this.of = of;
  }
}

/** The busiest query of all: putting its text together took a tenth of the request's time. */
let pageQuery: CompiledQuery | undefined;

function preparePage(db: Db): CompiledQuery {
  const query = compilePage(db);
  prepareOncePerConnection("apps_page", query.sql);
  return query;
}

function compilePage(db: Db): CompiledQuery {
  const value = (of: keyof PageValues) => sql`${new Placeholder(of)}`;
  return sql`
    with found as (
      select * from apps
      where owner_id = ${value("ownerId")}
        and (${value("only")}::text[] is null or name = any(${value("only")}::text[]))
        and (${value("after")}::uuid is null or id > ${value("after")}::uuid)
      order by id
      limit ${value("oneMore")}
    ), page as (select * from found order by id limit ${value("limit")})
    select coalesce(json_agg(${appJson(value("urlSuffix"))} order by a.id), '[]')::text as json,
      case when (select count(*) from found) > count(*) then array[(array_agg(a.id order by a.id desc))[1]::text] end as ids
    from page a ${JOINS}
  `.compile(db);
}
