import type { Db } from "../../platform/database/database.ts";
import { deleteApiKeys, readEndedKeys } from "./api-keys.store.ts";

/**
 * Removes about `limit` keys that were revoked or have expired more than 30 days ago. One that the audit log has an entry of stays, so
 * that the entry tells its name and its maker. Returns how many.
 */
export async function deleteEndedKeys(db: Db, limit: number): Promise<number> {
  const ids = await readEndedKeys(db, limit);
  // Each deletion, of no row as well, makes all processes look their keys up again.
  return ids.length === 0 ? 0 : deleteApiKeys(db, ids);
}
