import { newId } from "@svc/shared/rules/ids.ts";
import type { HealthEvent, UnhealthyReason } from "../apps/health/app-health.ts";
import { appUrl, type AppsAddress } from "../fleet/app-url.ts";
import type { Db } from "../platform/database/database.ts";
import { holdReceivers, insertDelivery, readEndedDeploy } from "./webhook-deliveries.store.ts";
import { deployNotice, webhookBody, type DeployEnd, type WebhookEvent } from "./webhook.ts";

/**
 * Writes one delivery for each of the app's webhooks, in the transaction that ends the deploy: neither exists without
 * the other. Workers hear of them when it commits.
 * @param address where apps are served
 */
export async function announceDeployEnd(
  tx: Db,
  deployId: string,
  status: DeployEnd,
  address: AppsAddress,
): Promise<void> {
  const deploy = await readEndedDeploy(tx, deployId);
  const notice = deployNotice(deploy.kind, status);
  if (!notice) return;
  const body = webhookBody({
    ...notice,
    app: deploy.name,
    // A rollback's own deploy is shown nowhere: the one it went back to is meant.
    deployId: deploy.target_deploy_id ?? deployId,
    url: appUrl(deploy.name, address),
    at: deploy.finished_at ?? new Date(),
  });
  await deliver(tx, deploy.app_id, notice.event, body);
}

/** The same for a change of the app's health, in the transaction that records it. */
export async function announceHealth(
  tx: Db,
  app: { id: string; name: string; deployId: string; event: HealthEvent; reason: UnhealthyReason | null },
  address: AppsAddress,
): Promise<void> {
  const { event, reason, deployId } = app;
  const body = webhookBody({
    event,
    status: event === "app.unhealthy" ? "unhealthy" : "recovered",
    ...(reason !== null && { reason }),
    app: app.name,
    deployId,
    url: appUrl(app.name, address),
    at: new Date(),
  });
  await deliver(tx, app.id, event, body);
}

/** The receivers are held: the deletion of one would let the insertion fail, and with it what the event is about. */
async function deliver(tx: Db, appId: string, event: WebhookEvent, body: Buffer): Promise<void> {
  for (const webhookId of await holdReceivers(tx, appId, event))
    await insertDelivery(tx, { id: newId(), webhookId, event, body });
}
