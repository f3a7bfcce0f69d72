import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/**
 * A device code is kept for an hour more, so that a client that still asks hears that it has expired (RFC 8628, 3.5). A bucket
 * that nobody has touched for a day is full again at every rate that we have.
 */
const EXPIRED = {
  sessions: sql<SqlBool>`expires_at < now()`,
  verifications: sql<SqlBool>`expires_at < now()`,
  passkey_challenges: sql<SqlBool>`expires_at < now()`,
  invitations_to_join: sql<SqlBool>`expires_at < now()`,
  oidc_attempts: sql<SqlBool>`expires_at < now()`,
  device_codes: sql<SqlBool>`expires_at < now() - interval '1 hour'`,
  // Somebody who saw a code may send it later than its client.
  oauth_codes: sql<SqlBool>`expires_at < now() - interval '1 day'`,
  oauth_clients: sql<SqlBool>`(used_at is null and created_at < now() - interval '1 day')
    or used_at < now() - interval '90 days'`,
  team_invitations: sql<SqlBool>`expires_at < now()`,
  auth_rate_limits: sql<SqlBool>`updated_at < now() - interval '1 day'`,
} as const satisfies Record<string, RawBuilder<SqlBool>>;

/** Rows that another process holds are passed over. */
export async function deleteExpiredRows(db: Db, limit: number): Promise<number> {
  let deleted = 0;
  for (const [table, isExpired] of Object.entries(EXPIRED)) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${isExpired} limit ${limit} for update skip locked))
    `.execute(db);
    deleted += Number(numAffectedRows ?? 0);
  }
  return deleted;
}
