import type { Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { forgetImages } from "../releases/releases.store.ts";
import { unplaceDeploys } from "./placement.store.ts";

/** The server goes: deploys that wait for it are placed anew, and the images of its apps' releases stay behind. */
export async function detachDeploys(tx: Db, serverId: string): Promise<void> {
  await forgetImages(tx, serverId);
  await unplaceDeploys(tx, serverId);
  await notify(tx, "deploy_queue", "");
}
