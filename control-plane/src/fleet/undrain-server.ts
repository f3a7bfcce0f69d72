import { insertAudit, type Acting } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { notify } from "../platform/database/notify.ts";
import { changeServerState, notifyServers } from "./servers.store.ts";
import { requireServer } from "./require-server.ts";

/**
 * The server takes new apps again, deploys first that have waited for a server. Idempotent: one that is not drained is left
 * as it is.
 * @throws SvcError not_found
 */
export function undrainServer(db: Db, name: string, by: Acting): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { id } = await requireServer(tx, name);
    if (!(await changeServerState(tx, id, ["draining"], "active"))) return;
    await insertAudit(tx, { ...by, action: "server.undrain", target: `server:${id}`, detail: { name } });
    await notifyServers(tx, id);
    await notify(tx, "deploy_queue", id);
  });
}
