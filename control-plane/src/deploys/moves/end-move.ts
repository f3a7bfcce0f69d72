import { moveTo } from "../../apps/status/app-deploys.ts";
import type { AppRow } from "../../apps/app.ts";
import { noteRemoval } from "../../apps/removal/note-removal.ts";
import type { Db } from "../../platform/database/database.ts";
import { keepLiveImage } from "./moves.store.ts";

/**
 * The app lives on the server `to` from now on, as it was; what it has left behind is to be removed. Null: it stays where it
 * is. The caller holds the app's row.
 * @returns the app as it was before
 */
export async function endMove(tx: Db, { appId, to }: { appId: string; to: string | null }): Promise<AppRow> {
  const app = await moveTo(tx, appId, to);
  if (to === null) return app;
  await keepLiveImage(tx, appId, app.current_release_id ?? undefined);
  if (app.server_id !== null) await noteRemoval(tx, { appId, appName: app.name, serverId: app.server_id, purge: true });
  return app;
}
