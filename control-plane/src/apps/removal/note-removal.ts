import type { Db } from "../../platform/database/database.ts";
import { deleteUnclaimedRemoval, hasRemoval, recordRemoval } from "./app-removals.store.ts";

/** Notes what is to be removed from the app's server. A purge that is asked for while the removal waits makes it a purge. */
export async function noteRemoval(
  tx: Db,
  removal: { appId: string; appName: string; serverId: string; purge: boolean },
): Promise<void> {
  await recordRemoval(tx, removal);
}

/** Whether something of the app is still to be removed, or is being removed. */
export const isRemovalNoted = hasRemoval;

/**
 * Forgets a removal that has not begun, because the app is deployed again. The caller holds the app's row.
 * @returns false while a process is removing the app
 */
export async function forgetRemoval(tx: Db, appId: string): Promise<boolean> {
  await deleteUnclaimedRemoval(tx, appId);
  return !(await hasRemoval(tx, appId));
}
