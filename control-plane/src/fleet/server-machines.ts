import type { Db } from "../platform/database/database.ts";
import { parseStatus } from "./parse-status.ts";
import { readStatus } from "./servers.store.ts";

/** Whether the server's engine runs on one machine, as far as its agent has told. */
export async function isOneMachine(db: Db, serverId: string): Promise<boolean> {
  const status = await readStatus(db, serverId);
  if (!status) return false;
  const { engine } = parseStatus(status);
  return engine?.reachable === true && engine.machines.length === 0;
}
