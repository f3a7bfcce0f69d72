import { deleteExpiredRows } from "./expired.store.ts";

/** Removes sessions, links, device codes and counts of attempts that mean nothing any more: about `limit` rows. Returns how many. */
export const deleteExpiredIdentity = deleteExpiredRows;
