import { sql, type Selectable } from "kysely";
import type { Db } from "../platform/database/database.ts";
import type { Database } from "../platform/database/schema.ts";
import type { DeployStatus } from "../deploys/deploy.ts";
import { ROLL_UPS, WINDOWS, type Range, type Resolution } from "./app-metrics.ts";

/** An app in one window, as its agent tells it; named as in the database. */
export interface Sample {
  app_id: string;
  /** Seconds since 1970. */
  starts_at: number;
  usage_windows: 0 | 1;
  cpu_ms: number | null;
  memory_bytes: number | null;
  memory_bytes_max: number | null;
  network_bytes_in: number | null;
  network_bytes_out: number | null;
  restarts: number | null;
  requests: number;
  client_errors: number;
  errors: number;
  latency_counts: readonly number[];
}

/** The way in which two values of a column become one: counts are added, and of memory the most counts. */
const MERGED = {
  usage_windows: "sum",
  cpu_ms: "sum",
  memory_bytes: "max",
  memory_bytes_max: "max",
  network_bytes_in: "sum",
  network_bytes_out: "sum",
  restarts: "sum",
  requests: "sum",
  client_errors: "sum",
  errors: "sum",
  latency_counts: "sum_counts",
} as const;

const COLUMNS = Object.keys(MERGED) as (keyof typeof MERGED)[];
const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
const replaced = sql.join(COLUMNS.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`));
const aggregated = sql.join(COLUMNS.map((column) => sql`${sql.raw(MERGED[column])}(${sql.ref(column)})`));
const merged = sql.join(
  COLUMNS.map((column) => {
    const [there, added] = [sql`m.${sql.ref(column)}`, sql`excluded.${sql.ref(column)}`];
    const both = {
      // A sum with an unknown value is unknown: the other one counts then.
      sum: sql`coalesce(${there} + ${added}, ${there}, ${added})`,
      max: sql`greatest(${there}, ${added})`,
      sum_counts: sql`add_counts(${there}, ${added})`,
    }[MERGED[column]];
    return sql`${sql.ref(column)} = case when m.starts_at = excluded.starts_at then ${both} else ${added} end`;
  }),
);
const rollUps = sql.join(ROLL_UPS.map(({ step, slots }) => sql`(${sql.lit(step)}, ${sql.lit(slots)})`));

/**
 * Stores samples of a server's agent, and adds those that are new to their minutes and ten minutes. In one statement, so that
 * a sample counts once, however often and to whichever control plane it is told. Those of apps that are not on the server are
 * left out. No two samples are of the same app and time.
 */
export async function insertSamples(db: Db, serverId: string, samples: readonly Sample[]): Promise<void> {
  await sql`
    with told as (
      select t.* from jsonb_to_recordset(${JSON.stringify(samples)}::jsonb) as t (
        app_id uuid, starts_at bigint, usage_windows smallint, cpu_ms integer, memory_bytes bigint,
        memory_bytes_max bigint, network_bytes_in bigint, network_bytes_out bigint, restarts integer,
        requests integer, client_errors integer, errors integer, latency_counts integer[]
      ) join apps a on a.id = t.app_id and a.server_id = ${serverId}
    ),
    added as (
      insert into app_metrics as m (app_id, step, slot, starts_at, ${columns})
      select app_id, ${sql.lit(WINDOWS.step)}, starts_at / ${sql.lit(WINDOWS.step)} % ${sql.lit(WINDOWS.slots)}, starts_at, ${columns}
      -- in an order in which two statements never wait for each other
      from told order by app_id, starts_at
      on conflict (app_id, step, slot) do update set starts_at = excluded.starts_at, ${replaced}
      where m.starts_at < excluded.starts_at
      returning m.app_id, m.starts_at, ${sql.join(COLUMNS.map((column) => sql`m.${sql.ref(column)}`))}
    )
    insert into app_metrics as m (app_id, step, slot, starts_at, ${columns})
    select app_id, r.step, starts_at / r.step % r.slots, starts_at / r.step * r.step, ${aggregated}
    from added cross join (values ${rollUps}) as r (step, slots)
    group by app_id, r.step, r.slots, starts_at / r.step
    order by app_id, r.step, starts_at / r.step
    on conflict (app_id, step, slot) do update set starts_at = excluded.starts_at, ${merged}
    where m.starts_at <= excluded.starts_at
  `.execute(db);
}

/** The beginning of the newest window of a server's apps; undefined without any. Seconds since 1970. */
export async function newestWindow(db: Db, serverId: string): Promise<number | undefined> {
  const { rows } = await sql<{ starts_at: string | null }>`
    select max(m.starts_at) as starts_at
    from app_metrics m join apps a on a.id = m.app_id
    where a.server_id = ${serverId} and m.step = ${WINDOWS.step}
  `.execute(db);
  const at = rows[0]?.starts_at ?? null;
  return at === null ? undefined : Number(at);
}

/** The values of one stored step. */
export type MetricsRow = Pick<Selectable<Database["app_metrics"]>, "starts_at" | keyof typeof MERGED>;

/** The app's values in the range, oldest first. */
export async function readMetrics(
  db: Db,
  appId: string,
  { step }: Resolution,
  { since, until }: Range,
): Promise<MetricsRow[]> {
  return db
    .selectFrom("app_metrics")
    .select(["starts_at", ...COLUMNS])
    .where("app_id", "=", appId)
    .where("step", "=", step)
    .where("starts_at", ">=", String(since))
    .where("starts_at", "<", String(until))
    .orderBy("starts_at")
    .execute();
}

export interface DeployMark {
  id: string;
  release: string;
  status: DeployStatus;
  finished_at: Date;
}

/** The app's newest deploys that ended in the range, oldest first. */
export async function readDeployMarks(
  db: Db,
  appId: string,
  { since, askedUntil }: Range,
  limit: number,
): Promise<DeployMark[]> {
  const { rows } = await sql<DeployMark>`
    select id, release, status, finished_at from deploys
    where app_id = ${appId} and kind = 'deploy'
      and finished_at >= to_timestamp(${since}) and finished_at < to_timestamp(${askedUntil})
    order by seq desc limit ${limit}
  `.execute(db);
  return rows.toReversed();
}
