import type { AppRow } from "../db/apps.ts";
import { readWebhooks } from "../db/webhooks.ts";
import type { OperationContext } from "./context.ts";
import { webhookView, type WebhookView } from "./webhook-view.ts";

/** Oldest first, without their secrets. */
export async function listWebhooks(ctx: OperationContext, app: AppRow): Promise<WebhookView[]> {
  return (await readWebhooks(ctx.db, app.id)).map(webhookView);
}
