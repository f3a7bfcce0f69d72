import { placeApps } from "../../apps/status/app-deploys.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { lockActiveServer, lockUnplacedApps, placeDeploys } from "./placement.store.ts";

/** Gives deploys that no server was known for to this one, oldest first. Returns whether there were any. */
export async function adoptUnplaced(db: Db, serverId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Locked before the server and the deploys, as everywhere.
    const apps = await lockUnplacedApps(tx);
    if (apps.length === 0 || !(await lockActiveServer(tx, serverId))) return false;
    const placed = await placeDeploys(tx, apps, serverId);
    if (placed.length > 0) await placeApps(tx, placed, serverId);
    return placed.length > 0;
  });
}
