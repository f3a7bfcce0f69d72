import type { AppRow } from "../apps/app.ts";
import type { OperationContext } from "../platform/operation.ts";
import { readDeliveriesOfApp } from "./webhook-deliveries.store.ts";
import { deliveryView, webhookView } from "./webhook-view.ts";
import { readWebhooks } from "./webhooks.store.ts";

/** The app's webhooks, oldest first; on request each with its last 50 deliveries, newest first. */
export async function listWebhooks(
  ctx: OperationContext,
  app: AppRow,
  { withDeliveries }: { withDeliveries: boolean },
) {
  const webhooks = await readWebhooks(ctx.db, app.id);
  if (!withDeliveries) return webhooks.map(webhookView);
  const deliveries = Map.groupBy(await readDeliveriesOfApp(ctx.db, app.id), ({ webhook_id }) => webhook_id);
  return webhooks.map((webhook) =>
    Object.assign(webhookView(webhook), { deliveries: (deliveries.get(webhook.id) ?? []).map(deliveryView) }),
  );
}
