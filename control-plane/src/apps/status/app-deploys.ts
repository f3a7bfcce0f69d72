import type { Db } from "../../platform/database/database.ts";
import { statusWithout, type AppRow, type AppStatus } from "../app.ts";
import { readAppById, writeBuildFacts, writeMove, writePlace } from "../apps.store.ts";
import { clearPushed } from "../pushes/pushes.store.ts";
import { noteRemoval } from "../removal/note-removal.ts";
import { writeCurrentRelease, writeDeployFailure, writeDeployStart, writeDeploySuccess } from "./app-status.store.ts";

/** Changes of an app that a deploy makes. The caller holds the app's row. */

/**
 * Counts one more deploy of the app, on that server, and shows the app as deploying, whatever serves meanwhile.
 * @returns which deploy it is, from 1
 */
export const startAppDeploy = writeDeployStart;

/** Apps that are on no server live on this one from now on. */
export const placeApps = writePlace;

/** Notes what a build has found out, as the API shows it. */
export async function noteBuild(tx: Db, appId: string, build: { framework: string; port: number }): Promise<void> {
  await writeBuildFacts(tx, appId, { detected_framework: build.framework, detected_port: build.port });
}

/** The app has this database from now on. */
export async function noteDatabase(tx: Db, appId: string, name: string): Promise<void> {
  await writeBuildFacts(tx, appId, { database_name: name, needs_database: true });
}

/** Notes that what was pushed to the app waits for no deploy any more. */
export const forgetPush = clearPushed;

export interface EndedDeploy {
  status: "success" | "failed" | "canceled";
  isRollback: boolean;
  /** The release that is live from now on. */
  releaseId: string | null;
  /** The app's status before the deploy. */
  former: AppStatus | null;
}

/** Brings the app to what the end of its deploy leaves. @returns the app as it was before */
export async function endAppDeploy(tx: Db, appId: string, deploy: EndedDeploy): Promise<AppRow> {
  const { status, former } = deploy;
  const app = await readAppById(tx, appId);
  if (status === "success") {
    await writeDeploySuccess(tx, appId, deploy);
    return app;
  }
  await writeDeployFailure(tx, appId, statusWithout(status, app, former));
  // The deploy took back the removal that the soft stop had asked for; what serves from before that is to go after all.
  const { name: appName, server_id: serverId } = app;
  if (former === "soft_stopped" && serverId !== null) await noteRemoval(tx, { appId, appName, serverId, purge: false });
  return app;
}

/** The app lives on that server from now on, as it was; null leaves it where it is. @returns the app as it was before */
export async function moveTo(tx: Db, appId: string, serverId: string | null): Promise<AppRow> {
  const app = await readAppById(tx, appId);
  if (serverId !== null) await writeMove(tx, appId, serverId);
  return app;
}

/** The app's agent has led the app back to that release. */
export const noteTakeBack = writeCurrentRelease;
