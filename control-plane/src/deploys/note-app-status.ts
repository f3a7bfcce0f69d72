import type { AppRow } from "../apps/app.ts";
import { noteStartOrStop } from "../apps/status/app-stops.ts";
import type { Db } from "../platform/database/database.ts";
import { changeFormerStatus } from "./deploys.store.ts";

/**
 * Notes that the app's live release was started or stopped. An app that deploys goes back to this status when the deploy does
 * not succeed, and one that moves has it where it arrives. The caller holds the app's row.
 */
export async function noteAppStatus(
  tx: Db,
  app: Pick<AppRow, "id" | "status">,
  status: "running" | "stopped",
): Promise<void> {
  await noteStartOrStop(tx, app, status);
  await changeFormerStatus(tx, app.id, status);
}
