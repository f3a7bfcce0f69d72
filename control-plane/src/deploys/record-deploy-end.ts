import { endAppDeploy } from "../apps/status/app-deploys.ts";
import type { AppsAddress } from "../fleet/app-url.ts";
import { insertAudit } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";
import { notify } from "../platform/database/notify.ts";
import { announceDeployEnd } from "../webhooks/announce.ts";
import type { DeployEnd } from "./deploy.ts";
import type { Claim } from "./deploy-claims.store.ts";
import { writeDeployEnd } from "./deploy-end.store.ts";
import { endMove } from "./moves/end-move.ts";
import { settleKeptImages } from "./releases/releases.store.ts";

/** A deploy that ends: one in a worker's hands, or one that was never given to any. */
export type EndingDeploy = Pick<Claim, "deployId" | "appId" | "release"> & { serverId: string | null };

/**
 * Writes the terminal state, once, with everything that follows from it. The caller holds the rows of app and deploy.
 * A deploy that fails after it was asked to be canceled is canceled.
 * @param address where apps are served, for what webhooks are told
 */
export async function recordDeployEnd(
  tx: Db,
  { deployId, appId, release, serverId }: EndingDeploy,
  end: DeployEnd,
  address: AppsAddress,
): Promise<void> {
  const { kind, status, former_app_status: former } = await writeDeployEnd(tx, deployId, end);
  const ended = { status, isRollback: kind === "rollback", releaseId: end.releaseId ?? null, former };
  // A move that did not succeed has left the app as it was.
  const app = await (kind === "move"
    ? endMove(tx, { appId, to: status === "success" ? serverId : null })
    : endAppDeploy(tx, appId, ended));
  if (status === "success") await settleKeptImages(tx, appId);
  await insertAudit(tx, {
    actor: "system",
    action: `${kind}.${status}`,
    target: `deploy:${deployId}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { app_id: appId, ...(kind === "move" ? { from: app.server_id, to: serverId } : { release }) },
  });
  await announceDeployEnd(tx, deployId, status, address);
  // Domains that came or went while the proxy was switched.
  await notify(tx, "routes", appId);
  await notify(tx, "deploy_queue", serverId ?? "");
}
