/** Rows of a list from its top on. */
export interface Page<T> {
  rows: readonly T[];
  /** Leads to the next page; undefined when there is none. */
  next: string | undefined;
}

/** Adds the page that the cursor led to. A list that goes on elsewhere by now, as after a second press, stays as it is. */
export function withOlder<T>(before: Page<T> | undefined, cursor: string, older: Page<T>): Page<T> | undefined {
  if (before?.next !== cursor) return before;
  return { rows: [...before.rows, ...older.rows], next: older.next };
}

/**
 * Takes the newest page in the place of the rows that it covers. What follows them stays. When so many rows are new that the
 * two don't meet, older ones are asked for anew, so that none is left out between them.
 */
export function withNewest<T extends { id: string }>(before: Page<T> | undefined, newest: Page<T>): Page<T> {
  const last = newest.rows.at(-1)?.id;
  const meetsAt = before?.rows.findIndex(({ id }) => id === last) ?? -1;
  const older = before?.rows.slice(meetsAt + 1) ?? [];
  if (before === undefined || newest.next === undefined || meetsAt < 0 || older.length === 0) return newest;
  return { rows: [...newest.rows, ...older], next: before.next };
}
