import { placeApps } from "../../apps/status/app-deploys.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { chooseServer, countOn } from "./placement.ts";
import {
  hasUnplacedDeploys,
  lockActiveServer,
  lockPlacement,
  lockUnplacedApps,
  placeDeploys,
} from "./placement.store.ts";
import { readCandidates, readWanted, type PlacementParts } from "./read-candidates.ts";

/** Gives the deploys that wait for a server to those that take them, the oldest first, and wakes these servers' queues. */
export async function placeWaiting(parts: PlacementParts, db: Db): Promise<void> {
  // This is looked for every few seconds, and there is seldom one.
  if (!(await hasUnplacedDeploys(db))) return;
  await inTransaction(db, async (tx) => {
    // Locked before the servers and the deploys, as everywhere.
    const apps = await lockUnplacedApps(tx);
    if (apps.length === 0) return;
    await lockPlacement(tx);
    for (const [serverId, appIds] of await choosePlaces(parts, tx, apps)) {
      // One that was drained or removed in between takes none: they are looked at again.
      if (!(await lockActiveServer(tx, serverId))) continue;
      const placed = await placeDeploys(tx, appIds, serverId);
      if (placed.length === 0) continue;
      await placeApps(tx, placed, serverId);
      await notify(tx, "deploy_queue", serverId);
    }
  });
}

/** Returns the apps by the server that is chosen for them, by its id: in this order servers are locked. */
async function choosePlaces(parts: PlacementParts, tx: Db, appIds: readonly string[]): Promise<[string, string[]][]> {
  const candidates = await readCandidates(parts, tx);
  const places = new Map<string, string[]>();
  for (const wanted of await readWanted(parts, tx, appIds)) {
    const server = chooseServer(candidates, wanted);
    if (!server) continue;
    countOn(server, wanted);
    places.set(server.id, [...(places.get(server.id) ?? []), wanted.appId]);
  }
  return [...places].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
