import type { Db } from "../../platform/database/database.ts";
import { chooseServer } from "./placement.ts";
import { lockPlacement } from "./placement.store.ts";
import { readCandidates, readWanted, type PlacementParts } from "./read-candidates.ts";

/**
 * Chooses the server for an app that has none. The caller holds the app's row, and writes the choice in this transaction:
 * until its end nobody else chooses.
 * @returns null while no server takes the app
 */
export async function placeApp(parts: PlacementParts, tx: Db, appId: string): Promise<string | null> {
  await lockPlacement(tx);
  const [wanted] = await readWanted(parts, tx, [appId]);
  const server = wanted && chooseServer(await readCandidates(parts, tx), wanted);
  return server?.id ?? null;
}
