import type { Db } from "../../platform/database/database.ts";
import type { AppRow, StatusAfter } from "../app.ts";
import { writeServerRemoval, writeSoftStop, writeStartOrStop } from "./app-status.store.ts";
import { forgetPlatformStop, readPlatformStop, writePlatformStop } from "./platform-stops.store.ts";

/** Starts and stops of an app apart from its deploys. The caller holds the app's row. */

/**
 * Notes that the live release was started or stopped; once it runs, the platform does not keep it stopped. The status of an
 * app that deploys stays.
 */
export async function noteStartOrStop(
  tx: Db,
  app: Pick<AppRow, "id" | "status">,
  status: StatusAfter<"startedOrStopped">,
): Promise<void> {
  if (status === "running") await forgetPlatformStop(tx, app.id);
  if (app.status !== "deploying") await writeStartOrStop(tx, app.id, status);
}

/** From now on the platform keeps the app stopped. */
export const notePlatformStop = writePlatformStop;

/** Why the platform keeps the app stopped; undefined unless it does, and nobody has started or deployed the app since. */
export const platformStopOf = readPlatformStop;

/** Nothing of the app is live any more; the next deploy revives it. */
export const softStop = writeSoftStop;

/** The apps of a server that is removed have no host any more, so nothing of them is live. */
export const detachApps = writeServerRemoval;
