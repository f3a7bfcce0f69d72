import { eventually } from "../tools/eventually.ts";
import type { TestDatabase } from "./postgres.ts";

/** Resolves when so many statements wait for what the test's own transaction holds. */
export async function untilWaiting(database: TestDatabase, count = 1): Promise<void> {
  const query =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'";
  await eventually(
    async () => (await database.query(query, [])).rows.length,
    (waiting) => waiting >= count,
    { what: "a statement waits for the lock" },
  );
}
