import { SvcError } from "@svc/shared/errors.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { requireServer } from "../require-server.ts";
import { beginUpgrade } from "./upgrades.store.ts";

/**
 * Has the server's agent take the version of the control plane that it is linked to (upgrades.ts). One that goes on already stays as it is.
 * @throws SvcError not_found, agent_away
 */
export function upgradeServer(db: Db, name: string, by: Acting): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { id, linked } = await requireServer(tx, name);
    if (!linked) {
      throw new SvcError("agent_away", `The agent of ${name} is not linked now. Upgrade it when it is back.`);
    }
    if (!(await beginUpgrade(tx, id))) return;
    await insertAudit(tx, { ...by, action: "server.upgrade", target: `server:${id}`, detail: { name } });
    await notify(tx, "servers", id);
  });
}
