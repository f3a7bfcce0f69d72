import { isId } from "@svc/shared/rules/ids.ts";
import type { AppRow } from "../apps/app.ts";
import { readDeliveries } from "./webhook-deliveries.store.ts";
import { hasWebhook } from "./webhooks.store.ts";
import type { OperationContext } from "../platform/operation.ts";
import { unknownWebhook } from "./unknown-webhook.ts";
import { deliveryView } from "./webhook-view.ts";

/**
 * The webhook's last 50 deliveries, newest first.
 * @throws SvcError not_found when the id is not a webhook of the app
 */
export async function listDeliveries(ctx: OperationContext, app: AppRow, webhookId: string) {
  if (!isId(webhookId) || !(await hasWebhook(ctx.db, app.id, webhookId))) throw unknownWebhook();
  return (await readDeliveries(ctx.db, webhookId)).map(deliveryView);
}
