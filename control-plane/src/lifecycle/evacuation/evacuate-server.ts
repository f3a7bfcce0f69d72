import { drainServer } from "../../fleet/drain-server.ts";
import { requireServer } from "../../fleet/require-server.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { beginEvacuation } from "./evacuations.store.ts";

/**
 * The server takes no new apps, and those that live on it move to others, one at a time (evacuations.ts). Called again it goes
 * on where it has stopped.
 * @throws SvcError not_found, invalid_request (it has not joined yet)
 */
export function evacuateServer(db: Db, name: string, by: Acting): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { id } = await requireServer(tx, name);
    // Before the server's row is locked: whoever goes on with an evacuation holds its row first, too.
    await beginEvacuation(tx, id);
    await drainServer(tx, name, by);
    await insertAudit(tx, { ...by, action: "server.evacuate", target: `server:${id}`, detail: { name } });
    await notify(tx, "servers", id);
  });
}
