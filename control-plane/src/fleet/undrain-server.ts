import { SvcError } from "@svc/shared/errors.ts";
import { insertAudit, type Acting } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { notify } from "../platform/database/notify.ts";
import { changeServerState, notifyServers } from "./servers.store.ts";
import { requireServer } from "./require-server.ts";

/**
 * The server takes new apps again, deploys first that have waited for a server. Idempotent.
 * @throws SvcError not_found, invalid_request (it has not joined yet)
 */
export function undrainServer(db: Db, name: string, by: Acting): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { id, state } = await requireServer(tx, name);
    if (state === "active") return;
    if (!(await changeServerState(tx, id, ["draining"], "active"))) {
      throw new SvcError("invalid_request", `The server ${name} has not joined yet: it takes apps once it has.`);
    }
    await insertAudit(tx, { ...by, action: "server.undrain", target: `server:${id}`, detail: { name } });
    await notifyServers(tx, id);
    await notify(tx, "deploy_queue", id);
  });
}
