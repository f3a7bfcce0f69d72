import type { Db } from "../../platform/database/database.ts";
import { releaseHosted } from "../../repositories/check-repository.ts";
import { deleteAppRow, lockSoftStopped } from "../apps.store.ts";

/**
 * Deletes a soft-stopped app with everything that belongs to it and to no other; the name is free. One that is not
 * soft-stopped stays: it was deployed again meanwhile.
 * @param serverId given, one that lives on another server stays, too
 */
export async function purgeApp(tx: Db, appId: string, serverId?: string): Promise<void> {
  if (!(await lockSoftStopped(tx, appId, serverId))) return;
  await releaseHosted(tx, appId);
  await deleteAppRow(tx, appId);
}
