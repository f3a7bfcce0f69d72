import type { Db } from "../../platform/database/database.ts";
import { chooseServer, type Candidate } from "./placement.ts";
import { lockPlacement } from "./placement.store.ts";
import { readCandidates, readWanted, type PlacementParts } from "./read-candidates.ts";

/**
 * Chooses a server for an app, of those that take new apps. The caller holds the app's row, and writes the choice in this transaction:
 * until its end nobody else chooses.
 */
export async function placeApp(parts: PlacementParts, tx: Db, appId: string): Promise<Candidate | undefined> {
  // The app's own row is held: only what is counted of others needs the lock.
  const [wanted] = await readWanted(parts, tx, [appId]);
  await lockPlacement(tx);
  return wanted && chooseServer(await readCandidates(parts, tx), wanted);
}
