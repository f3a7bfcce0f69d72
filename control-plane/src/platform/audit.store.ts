import { sql } from "kysely";
import type { Db } from "./database/database.ts";
import { boundedDetail } from "./audit-detail.ts";

export interface AuditEntry {
  /** user:<id>, key:<id>, operator, system */
  actor: string;
  /** The action, as <thing>.<verb>: app.create. */
  action: string;
  /** The target, as <thing>:<id>. */
  target: string;
  requestId: string | null;
  /** The user who did it, or whose app it is about; undefined for the operator. */
  ownerId?: string;
  /** Never a secret. Long lists and texts are cut. */
  detail?: Readonly<Record<string, unknown>>;
}

/** The one who changes the platform itself, as its entries name them. */
export type Acting = Pick<AuditEntry, "actor" | "requestId">;

/** The administrator of the machine, by `npm run admin`. */
export const byCommand: Acting = { actor: "operator", requestId: null };

export async function insertAudit(tx: Db, entry: AuditEntry): Promise<void> {
  await tx
    .insertInto("audit_log")
    .values({
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      request_id: entry.requestId,
      owner_id: entry.ownerId ?? null,
      detail: boundedDetail(entry.detail ?? {}),
    })
    .execute();
}

/**
 * Notes what somebody may do any number of times, such as reading variables, once an hour: otherwise it would push out all other
 * entries of the owner. Two at the same moment may both be noted.
 */
export async function insertAuditOnceAnHour(tx: Db, entry: AuditEntry): Promise<void> {
  const { actor, action, target, requestId, ownerId = null, detail = {} } = entry;
  await sql`
    insert into audit_log (actor, action, target, request_id, owner_id, detail)
    select ${actor}::text, ${action}::text, ${target}::text, ${requestId}::text, ${ownerId}::uuid, ${boundedDetail(detail)}::jsonb
    where not exists (
      select from audit_log
      where actor = ${actor}::text and target = ${target}::text and at > now() - interval '1 hour'
        and action = ${action}::text and owner_id is not distinct from ${ownerId}::uuid
    )
  `.execute(tx);
}

/** Reviews of who did what look back over a year. */
const KEPT_DAYS = 365;
/** How many entries are kept of one owner, of the operator, and of all owners together. */
export interface AuditBounds {
  owner: number;
  operator: number;
  all: number;
}

/**
 * An entry of usual size takes some 400 bytes: ten thousand are 4 MB, and more than 25 changes a day for a year. The largest has
 * a detail of 4 KB, so that an owner fills at most some 45 MB, and all owners 4.5 GB. The operator's entries do not count
 * towards `all`, so that owners can't crowd them out.
 */
export const AUDIT_BOUNDS: AuditBounds = { owner: 10_000, operator: 10_000, all: 1_000_000 };

/**
 * Removes entries beyond age and number, about `limit` of them; rows that another process holds are passed over. Returns how many.
 * The bound of all owners is looked at last, so that it takes nothing whose place the others make.
 */
export async function deleteOldAudit(db: Db, limit: number, bounds = AUDIT_BOUNDS): Promise<number> {
  return (await deleteOldOrBeyondOwn(db, limit, bounds)) || deleteBeyondAll(db, limit, bounds.all);
}

async function deleteOldOrBeyondOwn(db: Db, limit: number, bounds: AuditBounds): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where id in (
        (select id from audit_log where at < now() - ${KEPT_DAYS} * interval '1 day' order by at limit ${limit})
        union all
        (select beyond.id from (
          select distinct owner_id from audit_log where at > now() - interval '1 day' and owner_id is not null
        ) active cross join lateral (
          select id from audit_log where owner_id = active.owner_id order by id desc offset ${bounds.owner}
        ) beyond limit ${limit})
        union all
        (select id from audit_log where owner_id is null order by id desc offset ${bounds.operator} limit ${limit})
      )
      limit ${limit}
      for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/**
 * Takes the oldest entries of the owners that have the most: one that floods the log takes no entry from an owner that has
 * fewer. Below the bound it costs a count.
 */
async function deleteBeyondAll(db: Db, limit: number, all: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where id in (
      select id from audit_log where id in (
        select id from (
          select id, row_number() over (partition by owner_id order by id desc) as place
          from audit_log where owner_id is not null
        ) placed
        order by place desc, id
        limit (select least(greatest(count(*) - ${all}, 0), ${limit}) from audit_log where owner_id is not null)
      )
      for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}
