import { sql } from "kysely";
import type pg from "pg";

/** Tells these advisory locks from others of the same database; any constant will do. */
const PRESENCE = 7_356_414;

/**
 * Shows other processes that this one lives, for as long as the session does: the server ends it in the moment in which a
 * process on its host dies. Shared, so that a new session never waits for one that the server has not given up yet.
 */
export async function showPresence(session: pg.Client, processId: string): Promise<void> {
  await session.query("select pg_advisory_lock_shared($1, hashtext($2))", [PRESENCE, processId]);
}

/**
 * Whether the process in that column has no session: it died, or has lost the database for a moment. A process that is
 * frozen, or on a host that vanished, still has one, so that a lease has to bound what it holds.
 */
export function isAbsent(column: string) {
  return sql<boolean>`not exists (
    select from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
      and classid = ${PRESENCE} and objid = hashtext(${sql.ref(column)}::text)::oid)`;
}
