import { sql, type RawBuilder } from "kysely";

/** A column of type timestamptz as the API writes times: ISO 8601, UTC, milliseconds, as `Date.toISOString` does. */
export function isoTime(column: string): RawBuilder<string | null> {
  return sql<string | null>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
