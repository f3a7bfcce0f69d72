import type { Db } from "../../platform/database/database.ts";
import { deleteUnclaimedRemoval, hasRemoval, recordRemoval } from "./app-removals.store.ts";

/** Notes what is to be removed from the app's server. A purge that is asked for while the removal waits makes it a purge. */
export async function noteRemoval(
  tx: Db,
  removal: { appId: string; appName: string; serverId: string; purge: boolean },
): Promise<void> {
  await recordRemoval(tx, removal);
}

/** Whether something of the app is still to be removed from the server, or is being removed. */
export const isRemovalNoted = hasRemoval;

/**
 * Forgets a removal that has not begun, because the app is deployed again where it lives. The caller holds the app's row.
 * @returns false while a process is removing the app
 */
export async function forgetRemoval(tx: Db, app: { id: string; server_id: string | null }): Promise<boolean> {
  if (app.server_id === null) return true;
  const of = { appId: app.id, serverId: app.server_id };
  await deleteUnclaimedRemoval(tx, of);
  return !(await hasRemoval(tx, of));
}
