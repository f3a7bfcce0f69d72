import type { Db } from "../../../platform/database/database.ts";
import type { Rate } from "../../rate.ts";
import { takeFromBucket } from "../../rate-buckets.store.ts";

/**
 * Counts an attempt in the bucket of that key.
 * @param db not a transaction that may be rolled back, since an attempt that fails has its price too
 * @returns 0, or how many tokens are missing
 */
export async function takeAttemptToken(db: Db, key: Buffer, rate: Rate): Promise<number> {
  return takeFromBucket(db, { table: "auth_rate_limits", column: "key", key }, rate);
}
