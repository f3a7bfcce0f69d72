import type { AppRow } from "../apps/app.ts";
import { readWebhooks } from "./webhooks.store.ts";
import type { OperationContext } from "../platform/operation.ts";
import { webhookView, type WebhookView } from "./webhook-view.ts";

/** Oldest first, without their secrets. */
export async function listWebhooks(ctx: OperationContext, app: AppRow): Promise<WebhookView[]> {
  return (await readWebhooks(ctx.db, app.id)).map(webhookView);
}
