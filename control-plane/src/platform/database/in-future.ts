import { sql } from "kysely";

/** That many milliseconds from now on the database's clock, which every process sees alike. */
export function inFuture(ms: number) {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}
