import type { PlatformStop } from "../apps/app.ts";
import { notePlatformStop } from "../apps/status/app-stops.ts";
import { noteAppStatus } from "../deploys/note-app-status.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { lockStopped, type StoppedApp } from "./observed-apps.store.ts";

/** The news of an agent about its apps. */
export interface ObservedStops {
  /** App → why the agent has stopped it. */
  stops: ReadonlyMap<string, PlatformStop>;
  /** Apps whose container runs. */
  running: ReadonlySet<string>;
}

/**
 * Brings the apps of a server to what its agent says: one that it has stopped is `stopped` with the reason, and each stop
 * is audited once; one that runs again is not.
 */
export async function recordPlatformStops(db: Db, serverId: string, { stops, running }: ObservedStops): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const app of await lockStopped(tx, serverId, [...stops.keys()])) {
      const stop = stops.get(app.id);
      if (stop) await recordStop(tx, app, stop);
      // The answer of a start may have been lost.
      else if (running.has(app.id)) await noteAppStatus(tx, app, "running");
    }
  });
}

async function recordStop(tx: Db, app: StoppedApp, stop: PlatformStop): Promise<void> {
  const isNew = app.platform_stop?.at !== stop.at;
  const isKnown = app.platform_stop_holds || !app.is_settled;
  if (!isNew && isKnown) return;
  await notePlatformStop(tx, app.id, stop);
  await noteAppStatus(tx, app, "stopped");
  if (!isNew) return;
  await insertAudit(tx, {
    actor: "system",
    action: "app.stop",
    target: `app:${app.id}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { name: app.name, reason: stop.reason, detail: stop.detail },
  });
}
