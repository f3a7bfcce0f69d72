import { noteAppStatus } from "../deploys/note-app-status.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { lockDiffering, type ObservedApps } from "./observed-apps.store.ts";

/**
 * Brings these of the server's apps to what its agent observes: a stop or a start may have been carried out although its
 * answer was lost, or ended half-way. The owner's own entry in the audit log comes with the answer, so this is another.
 */
export async function recordOwnerStops(
  db: Db,
  serverId: string,
  observed: ObservedApps,
  ids: readonly string[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const app of await lockDiffering(tx, serverId, observed, ids)) {
      const isStop = app.status === "running";
      await noteAppStatus(tx, app, isStop ? "stopped" : "running");
      await insertAudit(tx, {
        actor: "system",
        action: isStop ? "app.stop" : "app.start",
        target: `app:${app.id}`,
        requestId: null,
        ownerId: app.owner_id,
        detail: { name: app.name, reason: "observed" },
      });
    }
  });
}
