import { isId } from "@svc/shared/rules/ids.ts";
import type { AppRow } from "../apps/app.ts";
import { inTransaction } from "../platform/database/database.ts";
import { deleteWebhook as deleteRow } from "./webhooks.store.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { unknownWebhook } from "./unknown-webhook.ts";

/**
 * Ends the webhook; what was still to be delivered is dropped.
 * @throws SvcError not_found when the id is not a webhook of the app
 */
export async function deleteWebhook(ctx: OperationContext, app: AppRow, id: string): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    if (!isId(id) || !(await deleteRow(tx, app.id, id))) throw unknownWebhook();
    await audit(ctx, tx, { action: "webhook.delete", target: `webhook:${id}`, detail: { app: app.name } });
  });
}
