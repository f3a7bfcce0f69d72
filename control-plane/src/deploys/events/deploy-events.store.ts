import { sql } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";

export interface DeployEventRow {
  /** Rising from 1; a gap is what was dropped, and the row after it says how many lines that were. */
  number: string;
  step_order: number | null;
  kind: "log" | "progress" | "step" | "deploy" | "taken_back";
  payload: Record<string, unknown>;
  created_at: Date;
}

export interface NewEvent {
  kind: "log" | "progress" | "step" | "deploy" | "taken_back";
  stepOrder?: number;
  payload: Record<string, unknown>;
}

/** The bytes of a row beyond its text: its header, its other columns and its entry in the index. */
const ROW_BYTES = 160;
/** The bytes of a line beyond its text. */
const LINE_BYTES = 8;

/** Counts a little more than PostgreSQL stores of the event; nothing for steps and ends of deploys, which are few. */
export function eventBytes({ kind, payload }: NewEvent): number {
  if (kind !== "log" && kind !== "progress") return 0;
  const texts = [payload["lines"], payload["message"]].flat().filter((text) => typeof text === "string");
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + LINE_BYTES, ROW_BYTES);
}

/** Appends to the deploy's event log, each with the next number. The caller holds the deploy's row. */
export async function insertEvents(trx: Db, deployId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const bytes = events.reduce((sum, event) => sum + eventBytes(event), 0);
  const { event_count } = await trx
    .updateTable("deploys")
    .set({
      event_count: sql<string>`event_count + ${events.length}`,
      log_bytes: sql<string>`coalesce(log_bytes, 0) + ${bytes}`,
    })
    .where("id", "=", deployId)
    .returning("event_count")
    .executeTakeFirstOrThrow();
  const first = Number(event_count) - events.length + 1;
  await trx
    .insertInto("deploy_events")
    .values(
      events.map((event, i) => ({
        deploy_id: deployId,
        number: String(first + i),
        step_order: event.stepOrder ?? null,
        kind: event.kind,
        payload: JSON.stringify(event.payload),
      })),
    )
    .execute();
  await notify(trx, "deploy_events", deployId);
}

/** How much of its log is stored, and for how long it has been running. */
export async function readLogAccount(db: Db, deployId: string): Promise<{ bytes: number; runsForMs: number }> {
  const row = await db
    .selectFrom("deploys")
    .select(["log_bytes", sql<number>`extract(epoch from now() - coalesce(started_at, now()))::float8 * 1000`.as("ms")])
    .where("id", "=", deployId)
    .executeTakeFirstOrThrow();
  return { bytes: Number(row.log_bytes ?? 0), runsForMs: row.ms };
}

/** The bytes that are read at once, beyond one event: a reader that is slow holds it in memory. */
const PAGE_BYTES = 128 * 1024;

/** Reads the events after `number` in their order: so many, or fewer when they are large. */
export async function readDeployEvents(
  db: Db,
  deployId: string,
  after: string,
  limit: number,
): Promise<DeployEventRow[]> {
  const { rows } = await sql<DeployEventRow>`
    select number, step_order, kind, payload, created_at from (
      select *, sum(octet_length(payload::text)) over (order by number rows between unbounded preceding and 1 preceding) as bytes_before
      from (
        select number, step_order, kind, payload, created_at from deploy_events
        where deploy_id = ${deployId} and number > ${after}
        order by number
        limit ${limit}
      ) next
    ) measured
    where coalesce(bytes_before, 0) < ${PAGE_BYTES}
    order by number
  `.execute(db);
  return rows;
}
