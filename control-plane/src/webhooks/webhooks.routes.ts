import { z } from "@hono/zod-openapi";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { redeliver } from "./redeliver.ts";
import { namedApp } from "../apps/find-app.ts";
import { json, noContent } from "../platform/http/answer.ts";
import { route } from "../platform/http/route.ts";
import { CreateWebhookSchema, WebhookDeliverySchema, WebhookSchema } from "./webhook-schemas.ts";

const ID = { id: "id of the webhook" };

export const webhookRoutes = [
  route({
    method: "post",
    path: "/api/apps/{name}/webhooks",
    operationId: "createWebhook",
    summary: "Register a receiver of the app's events",
    description:
      "Events are sent as `POST` with a JSON body, `X-Service-Event`, `X-Service-Delivery` (the webhook's id) and " +
      "`X-Service-Signature: sha256=<hex>`: the HMAC-SHA256 of the raw body, keyed with the characters of `secret` as " +
      "they are. Any 2xx answer within 10 s is a delivery. A 4xx is final; anything else, a redirect included, is " +
      "tried once more after 5 s. An event can arrive more than once. The last 50 deliveries are kept, " +
      "and waiting ones beyond them dropped.\n\n" +
      "Extension: `app.unhealthy` and `app.recovered` are sent to webhooks whose `events` name them, once for each change; an " +
      "app has recovered when it has served for 10 s. `deploy_id` is the deploy of the live release, `status` is `unhealthy` or " +
      "`recovered`, and `reason` says why it is unhealthy.",
    tag: "webhooks",
    scope: "webhooks:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    body: CreateWebhookSchema,
    successes: [
      {
        status: 201,
        description: "registered; `secret` is shown this once",
        schema: WebhookSchema.extend({ secret: z.string() }).openapi("CreatedWebhook"),
      },
    ],
    errors: ["invalid_webhook_url", "webhook_limit"],
    async handle(ctx, { subject: app, body }) {
      return json(201, await createWebhook(ctx, app, body));
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/webhooks",
    operationId: "listWebhooks",
    summary: "List the app's webhooks, oldest first",
    tag: "webhooks",
    scope: "webhooks:read",
    role: "developer",
    changes: false,
    subject: namedApp,
    successes: [{ status: 200, description: "the webhooks", schema: z.object({ webhooks: z.array(WebhookSchema) }) }],
    errors: [],
    async handle(ctx, { subject: app }) {
      return json(200, { webhooks: await listWebhooks(ctx, app) });
    },
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/webhooks/{id}",
    operationId: "deleteWebhook",
    summary: "Delete a webhook; what was still to be delivered is dropped",
    tag: "webhooks",
    scope: "webhooks:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    params: ID,
    successes: [{ status: 204, description: "deleted" }],
    errors: [],
    async handle(ctx, { subject: app, params }) {
      await deleteWebhook(ctx, app, params["id"] ?? "");
      return noContent;
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/webhooks/{id}/deliveries",
    operationId: "listWebhookDeliveries",
    summary: "List the webhook's last 50 deliveries, newest first",
    tag: "webhooks",
    scope: "webhooks:read",
    role: "developer",
    changes: false,
    subject: namedApp,
    params: ID,
    successes: [
      {
        status: 200,
        description: "the deliveries",
        schema: z.object({ deliveries: z.array(WebhookDeliverySchema) }),
      },
    ],
    errors: [],
    async handle(ctx, { subject: app, params }) {
      return json(200, { deliveries: await listDeliveries(ctx, app, params["id"] ?? "") });
    },
  }),
  route({
    method: "post",
    path: "/api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver",
    operationId: "redeliverWebhook",
    summary: "Send a delivery's bytes again, as a new delivery",
    tag: "webhooks",
    scope: "webhooks:write",
    role: "developer",
    changes: true,
    subject: namedApp,
    params: { ...ID, delivery_id: "id of the delivery" },
    successes: [{ status: 202, description: "to be sent", schema: z.object({ delivery: WebhookDeliverySchema }) }],
    errors: [],
    async handle(ctx, { subject: app, params }) {
      const delivery = await redeliver(ctx, app, params["id"] ?? "", params["delivery_id"] ?? "");
      return json(202, { delivery });
    },
  }),
];
