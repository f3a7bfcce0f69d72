import { SvcError } from "@svc/shared/errors.ts";
import { insertAudit, type Acting } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { changeServerState, notifyServers } from "./servers.store.ts";
import { requireServer } from "./require-server.ts";

/**
 * The server takes no new apps; those that live on it go on, deploys included. Idempotent.
 * @throws SvcError not_found, invalid_request (it has not joined yet)
 */
export function drainServer(db: Db, name: string, by: Acting): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { id, state } = await requireServer(tx, name);
    if (state === "draining") return;
    if (!(await changeServerState(tx, id, ["active"], "draining"))) {
      throw new SvcError("invalid_request", `The server ${name} has not joined yet, so there is nothing to drain.`);
    }
    await insertAudit(tx, { ...by, action: "server.drain", target: `server:${id}`, detail: { name } });
    await notifyServers(tx, id);
  });
}
