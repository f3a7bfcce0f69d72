import type { Db } from "../../platform/database/database.ts";
import { isMoveOpen } from "./moves.store.ts";

/** Whether an app moves to the server, or away from it. The caller holds the server's row, so that none begins. */
export async function isMoving(tx: Db, serverId: string): Promise<boolean> {
  return isMoveOpen(tx, serverId);
}
