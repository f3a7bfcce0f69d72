import { SvcError } from "@svc/shared/errors.ts";
import { isId, newId } from "@svc/shared/rules/ids.ts";
import type { AppRow } from "../apps/app.ts";
import { inTransaction } from "../platform/database/database.ts";
import { insertDelivery, readDelivery, readDeliveryBody } from "./webhook-deliveries.store.ts";
import { holdWebhook } from "./webhooks.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { unknownWebhook } from "./unknown-webhook.ts";
import { deliveryView } from "./webhook-view.ts";

/**
 * Sends a delivery's bytes again, as a delivery of its own.
 * @throws SvcError not_found
 */
export async function redeliver(ctx: OperationContext, app: AppRow, webhookId: string, deliveryId: string) {
  return inTransaction(ctx.db, async (tx) => {
    if (!isId(webhookId) || !(await holdWebhook(tx, app.id, webhookId))) throw unknownWebhook();
    const sent = isId(deliveryId) ? await readDeliveryBody(tx, webhookId, deliveryId) : undefined;
    if (!sent) {
      throw new SvcError("not_found", "The webhook has no delivery with that id; only the last 50 are kept.");
    }
    const id = newId(ctx.clock.now());
    await insertDelivery(tx, { id, webhookId, ...sent });
    await audit(ctx, tx, { action: "webhook.redeliver", target: `webhook:${webhookId}`, detail: { delivery: id } });
    return deliveryView(await readDelivery(tx, webhookId, id));
  });
}
