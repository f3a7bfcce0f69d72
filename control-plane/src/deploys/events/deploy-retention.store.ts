import { sql } from "kysely";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { keepReleaseNames } from "../releases/release-names.store.ts";

/**
 * Keeps deploys that have ended within their bounds (decision 015). Each function removes a batch and returns how many rows it took;
 * 0 when nothing is left to remove. Rows that another process holds are passed over, and what was not removed is found
 * again: any number of processes may do so at once, and end in the middle.
 */

/**
 * The time in which somebody may still look at how a deploy went; the end of each step's output stays with the deploy.
 */
const EVENTS_DAYS_MAX = 14;

/** Bytes that are kept of one app's deploys, and of all. */
export interface ByteBudget {
  app: number;
  all: number;
}

/** All: a small host's disk has that to spare, and backups should not be full of it. */
const ALL_BYTES_MAX = 1024 * 1024 * 1024;
/** App: ten deploys that fail with a long log leave less than 1 MB each. */
export const LOG_BUDGET: ByteBudget = { app: 8 * 1024 * 1024, all: ALL_BYTES_MAX };
/** App: the outputs of its last 256 deploys, when each fills what is kept of a build's output (64 KiB). */
export const OUTPUT_BUDGET: ByteBudget = { app: 16 * 1024 * 1024, all: ALL_BYTES_MAX };

/** Ends early when the signal aborts. */
interface DropOptions {
  signal?: AbortSignal;
  budget?: ByteBudget;
}

/** A year of three deploys a day; each costs some 4 KB without its log. */
export const DEPLOYS_KEPT = 1_000;
/** Releases that served last: four times as many as a server keeps images of, which a rollback needs. */
const SERVED_KEPT = 20;
/** Deploys that one batch looks at; each has some 20 rows beside its log. */
const DEPLOYS_AT_ONCE = 50;

const OUTPUT_REMOVED = "[The output was removed: later deploys needed its place.]";

/** Events of deploys that ended long ago: nobody follows those any more. */
export async function deleteOldDeployEvents(db: Db, limit: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select id from deploys
      where log_bytes is not null and finished_at < now() - ${EVENTS_DAYS_MAX} * interval '1 day'
      order by finished_at
      limit ${DEPLOYS_AT_ONCE}
      for no key update skip locked
    `.execute(tx);
    const ids = rows.map(({ id }) => id);
    const removed = await deleteEvents(tx, ids, limit);
    const { numAffectedRows } = await sql`
      update deploys set log_bytes = null
      where id = any(${ids}::uuid[]) and not exists (select from deploy_events where deploy_id = deploys.id)
    `.execute(tx);
    return removed + Number(numAffectedRows);
  });
}

/** Drops the logs of ended deploys that are beyond what their app, or all apps, may keep: the oldest first. */
export async function dropLogsOverBudget(
  db: Db,
  limit: number,
  { signal, budget = LOG_BUDGET }: DropOptions = {},
): Promise<number> {
  const ids = await findOverBudget(db, "log_bytes", budget);
  let removed = 0;
  for (let i = 0; i < ids.length && !signal?.aborted;) {
    const { taken, isDone } = await dropLogBatch(db, ids.slice(i, i + DEPLOYS_AT_ONCE), limit);
    removed += taken;
    if (isDone) i += DEPLOYS_AT_ONCE;
  }
  return removed;
}

function dropLogBatch(db: Db, deployIds: readonly string[], limit: number) {
  return inTransaction(db, async (tx) => {
    const ids = await lockWithBytes(tx, "log_bytes", deployIds);
    const { rows } = await dropOldestLines(tx, ids, limit);
    const { taken, left } = rows[0]!;
    // One row a step is left then, which says how much was dropped.
    const isDone = taken < limit || taken === left;
    if (isDone) await sql`update deploys set log_bytes = 0 where id = any(${ids}::uuid[])`.execute(tx);
    return { taken: isDone ? Math.max(taken, ids.length) : taken, isDone };
  });
}

/** The oldest lines and progress of each step make way for one row, at the last one's number, that counts them. */
function dropOldestLines(tx: Db, deployIds: readonly string[], limit: number) {
  return sql<{ taken: number; left: number }>`
    with gone as (
      delete from deploy_events
      where (deploy_id, number) in (
        select deploy_id, number from deploy_events
        where deploy_id = any(${deployIds}::uuid[]) and kind in ('log', 'progress')
        order by deploy_id, number
        limit ${limit}
      )
      returning deploy_id, number, step_order, payload, created_at
    ), counted as (
      insert into deploy_events (deploy_id, number, step_order, kind, payload, created_at)
      select deploy_id, max(number), step_order, 'log', jsonb_build_object('lines', '[]'::jsonb, 'dropped', sum(
          coalesce(jsonb_array_length(payload -> 'lines'), 0) + coalesce((payload ->> 'dropped')::bigint, 0)
        )), max(created_at)
      from gone
      group by deploy_id, step_order
      returning 1
    )
    select (select count(*)::integer from gone) as taken, (select count(*)::integer from counted) as left
  `.execute(tx);
}

/** Drops the outputs of ended deploys that are beyond what their app, or all apps, may keep: the oldest first. */
export async function dropOutputsOverBudget(
  db: Db,
  { signal, budget = OUTPUT_BUDGET }: DropOptions = {},
): Promise<number> {
  const ids = await findOverBudget(db, "output_bytes", budget);
  let removed = 0;
  for (let i = 0; i < ids.length && !signal?.aborted; i += DEPLOYS_AT_ONCE) {
    removed += await dropOutputs(db, ids.slice(i, i + DEPLOYS_AT_ONCE));
  }
  return removed;
}

function dropOutputs(db: Db, deployIds: readonly string[]): Promise<number> {
  return inTransaction(db, async (tx) => {
    const ids = await lockWithBytes(tx, "output_bytes", deployIds);
    await sql`
      update deploy_steps set output = ${OUTPUT_REMOVED}
      where deploy_id = any(${ids}::uuid[]) and octet_length(output) > ${OUTPUT_REMOVED.length}
    `.execute(tx);
    await sql`update deploys set output_bytes = 0 where id = any(${ids}::uuid[])`.execute(tx);
    return ids.length;
  });
}

type BytesColumn = "log_bytes" | "output_bytes";

/**
 * Ended deploys whose own bytes and those of all newer ones, of the app or of all apps, are more than the budget; the
 * oldest first. It sums over every deploy that has any, so it is asked once a round and not once a batch.
 */
async function findOverBudget(db: Db, column: BytesColumn, budget: ByteBudget): Promise<string[]> {
  const bytes = sql.ref(column);
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, seq, finished_at,
        sum(${bytes}) over (partition by app_id order by seq desc) as of_app,
        sum(${bytes}) over (order by seq desc) as of_all
      from deploys where ${bytes} > 0
    ) summed
    where finished_at is not null and (of_app > ${budget.app} or of_all > ${budget.all})
    order by seq
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks those of the deploys that still have such bytes and that no other process holds. */
async function lockWithBytes(tx: Db, column: BytesColumn, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from deploys where id = any(${ids}::uuid[]) and ${sql.ref(column)} > 0 for no key update skip locked
  `.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Deploys beyond an app's newest, with their steps and releases: not those that still run or are to be taken back, and
 * not those whose release is live, served lately, or can be gone back to. Each deploy touches its app, so those of the last day are enough.
 */
export async function deleteDeploysBeyondKept(db: Db): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows: beyond } = await sql<{ id: string; app_id: string }>`
      select d.id, a.id as app_id from apps a cross join lateral (
        select id, status, finished_at from deploys where app_id = a.id order by seq desc offset ${DEPLOYS_KEPT}
      ) d
      where d.finished_at is not null and a.updated_at > now() - interval '1 day' and d.id not in (
        select coalesce(target.deploy_id, served.id) from (
          select id, target_release_id from deploys
          where app_id = a.id and status = 'success'
          order by seq desc
          limit ${SERVED_KEPT}
        ) served left join releases target on target.id = served.target_release_id
      )
      and d.id not in (select deploy_id from releases where app_id = a.id and (image_kept or id = a.current_release_id))
      and not (d.status <> 'success' and exists (
        select from deploy_steps
        where deploy_id = d.id and undo_registered_at is not null and undone_at is null
      ))
      limit ${DEPLOYS_AT_ONCE}
    `.execute(tx);
    // Apps before deploys, as everywhere: a name that is kept refers to its app.
    const { rows: apps } = await sql<{ id: string }>`
      select id from apps where id = any(${beyond.map(({ app_id }) => app_id)}::uuid[])
      for no key update skip locked
    `.execute(tx);
    const appIds = apps.map(({ id }) => id);
    const { rows } = await sql<{ id: string }>`
      select id from deploys where id = any(${beyond.map(({ id }) => id)}::uuid[]) and app_id = any(${appIds}::uuid[])
      for update skip locked
    `.execute(tx);
    const ids = rows.map(({ id }) => id);
    await keepReleaseNames(tx, { appIds, deployIds: ids });
    return deleteDeploys(tx, ids);
  });
}

/** Removes what the purge of an app has left: first the events of its deploys, batch by batch, then the deploys. */
export async function deletePurgedDeploys(db: Db, limit: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select id from deploys where app_id is null order by id limit ${DEPLOYS_AT_ONCE} for update skip locked
    `.execute(tx);
    const ids = rows.map(({ id }) => id);
    const removed = await deleteEvents(tx, ids, limit);
    return removed === limit ? removed : removed + (await deleteDeploys(tx, ids));
  });
}

async function deleteEvents(tx: Db, deployIds: readonly string[], limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deploy_events where (deploy_id, number) in (
      select deploy_id, number from deploy_events where deploy_id = any(${deployIds}::uuid[]) limit ${limit}
    )
  `.execute(tx);
  return Number(numAffectedRows);
}

/** Steps, releases and what is left of the events go with them. */
async function deleteDeploys(tx: Db, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`delete from deploys where id = any(${ids}::uuid[])`.execute(tx);
  return Number(numAffectedRows);
}
