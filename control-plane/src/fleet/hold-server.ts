import type { Db } from "../platform/database/database.ts";
import { lockServer } from "./servers.store.ts";
import type { ServerState } from "./server.ts";

export interface HeldServer {
  state: ServerState;
  /** Whether some process of the control plane says that it holds the agent's link. */
  linked: boolean;
  /** That process; null where none does, or did. */
  link_process_id: string | null;
}

/**
 * The server's row stays locked until the transaction ends: who takes it decides about the server's queue. Whoever locks an
 * app as well does that before (the order is app, server, deploy).
 */
export async function holdServer(tx: Db, id: string): Promise<HeldServer> {
  return lockServer(tx, id);
}
