import type { Db } from "../platform/database/database.ts";
import { lockServer } from "./servers.store.ts";
import type { ServerState } from "./server.ts";

/**
 * The server's row stays locked until the transaction ends: who takes it decides about the server's queue. Whoever locks an
 * app as well does that before (the order is app, server, deploy).
 * @returns linked: whether some process of the control plane says that it holds the agent's link
 */
export async function holdServer(tx: Db, id: string): Promise<{ state: ServerState; linked: boolean }> {
  return lockServer(tx, id);
}
