import { randomBytes } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { OutboundError } from "@svc/shared/net/guarded-fetch.ts";
import type { AppRow } from "../apps/app.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { countWebhooks, insertWebhook } from "./webhooks.store.ts";
import { DEPLOY_EVENTS, parseWebhookUrl, WEBHOOKS_PER_APP_MAX, type WebhookEvent } from "./webhook.ts";
import { sealContext } from "../ports.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { webhookView } from "./webhook-view.ts";
import { lockOwnApp } from "../apps/find-app.ts";

/** This is as long as the digest that it keys. */
const SECRET_BYTES = 32;

/**
 * Registers a receiver of the app's events. The secret is in this answer alone.
 * @throws SvcError invalid_webhook_url, webhook_limit, not_found
 */
export async function createWebhook(
  ctx: OperationContext,
  app: AppRow,
  { url, events = DEPLOY_EVENTS }: { url: string; events?: readonly WebhookEvent[] | undefined },
) {
  const { hostname } = parseWebhookUrl(url);
  await requireRoom(ctx.db, app);
  // Outside of the transaction: name servers take their time. Deliveries check again.
  await ctx.outbound.addressesOf(hostname).catch((error: unknown) => {
    if (error instanceof OutboundError) throw new SvcError("invalid_webhook_url", error.message, { cause: error });
    throw error;
  });

  const id = newId(ctx.clock.now());
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const sealed = ctx.keyRing.seal(secret, sealContext.webhookSecret(id));
  return inTransaction(ctx.db, async (tx) => {
    // The app's row orders concurrent registrations, or two of them could pass the limit together.
    await lockOwnApp(ctx, tx, app);
    await requireRoom(tx, app);
    const { created_at, ...webhook } = webhookView(
      await insertWebhook(tx, { id, appId: app.id, url, secret: sealed, events }),
    );
    // The URL's path is often a secret of the receiver's.
    await audit(ctx, tx, { action: "webhook.create", target: `webhook:${id}`, detail: { app: app.name, hostname } });
    return { ...webhook, secret, created_at };
  });
}

async function requireRoom(db: Db, app: AppRow): Promise<void> {
  if ((await countWebhooks(db, app.id)) < WEBHOOKS_PER_APP_MAX) return;
  throw new SvcError(
    "webhook_limit",
    `The app ${app.name} has ${WEBHOOKS_PER_APP_MAX} webhooks, which is the most allowed: delete one first.`,
  );
}
