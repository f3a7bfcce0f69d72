import type { Db } from "../../platform/database/database.ts";
import { deleteExpiredRows } from "./expired.store.ts";

/** Removes sessions, links, device codes and counts of attempts that mean nothing any more: about `limit` rows. Returns how many. */
export async function deleteExpiredIdentity(db: Db, limit: number): Promise<number> {
  return deleteExpiredRows(db, limit);
}
