import { byCommand, insertAudit } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";
import { changeServerState, notifyServers } from "./servers.store.ts";

/**
 * Takes a server that no app lives on any more out of the fleet: its certificate is refused from now on.
 * @param apps names of those that lost their host with it
 */
export async function retireServer(
  tx: Db,
  { id, name }: { id: string; name: string },
  apps: readonly string[],
): Promise<void> {
  await changeServerState(tx, id, ["joining", "active", "draining"], "removed");
  const entry = { ...byCommand, action: "server.remove", target: `server:${id}` };
  await insertAudit(tx, { ...entry, detail: { name, apps } });
  await notifyServers(tx, id);
}
