import { z } from "@hono/zod-openapi";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { redeliver } from "./redeliver.ts";
import { namedApp } from "../apps/find-app.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";
import { WEBHOOK_EVENTS, WEBHOOK_URL_LENGTH_MAX } from "./webhook.ts";

const id = () => z.string().openapi({ format: "uuid" });
const time = () => z.string().openapi({ format: "date-time", description: "ISO 8601, UTC" });

const CreateWebhookSchema = z
  .strictObject({
    url: z.string().openapi({
      format: "uri",
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: "https, any port, without credentials; its host must resolve to public addresses alone",
      example: "https://hooks.example.com/deploys",
    }),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .min(1)
      .max(WEBHOOK_EVENTS.length)
      .refine((events) => new Set(events).size === events.length, "it must name each event once.")
      .optional()
      .openapi({ description: "extension; what to send: the events of deploys when omitted", uniqueItems: true }),
  })
  .openapi("CreateWebhook");

const WebhookSchema = z
  .object({
    id: id(),
    url: z.string().openapi({ format: "uri" }),
    created_at: time(),
    events: z
      .array(z.enum(WEBHOOK_EVENTS))
      .optional()
      .openapi({ description: "extension; absent when it asks for the events of deploys alone" }),
  })
  .openapi("Webhook");

const WebhookDeliverySchema = z
  .object({
    id: id(),
    event: z.enum(WEBHOOK_EVENTS),
    status: z.enum(["pending", "delivered", "failed"]),
    deploy_id: id(),
    attempts: z.int().openapi({ description: "made so far", minimum: 0, maximum: 2 }),
    response_status: z.int().nullable().openapi({ description: "of the last attempt; null when there was no answer" }),
    error: z.string().nullable().openapi({ description: "why the last attempt did not deliver" }),
    created_at: time(),
    finished_at: time().nullable(),
  })
  .openapi("WebhookDelivery");

const ListedWebhookSchema = WebhookSchema.extend({
  deliveries: z
    .array(WebhookDeliverySchema)
    .optional()
    .openapi({ description: "extension; newest first, when `deliveries=1` asks for them" }),
}).openapi("ListedWebhook");

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
    scope: "webhooks:write",
    subject: namedApp,
    body: CreateWebhookSchema,
    successes: success(
      201,
      "registered; `secret` is shown this once",
      WebhookSchema.extend({ secret: z.string() }).openapi("CreatedWebhook"),
    ),
    errors: ["invalid_webhook_url", "webhook_limit"],
    handle: async (ctx, { subject: app, body }) => json(201, await createWebhook(ctx, app, body)),
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/webhooks",
    operationId: "listWebhooks",
    summary: "List the app's webhooks, oldest first",
    scope: "webhooks:read",
    subject: namedApp,
    query: z.strictObject({
      deliveries: z
        .enum(["0", "1"], "it must be 0 or 1.")
        .optional()
        .openapi({ description: "extension; 1 lists each webhook's last 50 deliveries with it" }),
    }),
    successes: success(200, "the webhooks", { webhooks: z.array(ListedWebhookSchema) }),
    handle: async (ctx, { subject: app, query }) =>
      json(200, { webhooks: await listWebhooks(ctx, app, { withDeliveries: query.deliveries === "1" }) }),
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/webhooks/{id}",
    operationId: "deleteWebhook",
    summary: "Delete a webhook; what was still to be delivered is dropped",
    scope: "webhooks:write",
    subject: namedApp,
    params: ID,
    successes: success(204, "deleted"),
    handle: (ctx, { subject: app, params }) => deleteWebhook(ctx, app, params["id"] ?? ""),
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/webhooks/{id}/deliveries",
    operationId: "listWebhookDeliveries",
    summary: "List the webhook's last 50 deliveries, newest first",
    scope: "webhooks:read",
    subject: namedApp,
    params: ID,
    successes: success(200, "the deliveries", { deliveries: z.array(WebhookDeliverySchema) }),
    async handle(ctx, { subject: app, params }) {
      return json(200, { deliveries: await listDeliveries(ctx, app, params["id"] ?? "") });
    },
  }),
  route({
    method: "post",
    path: "/api/apps/{name}/webhooks/{id}/deliveries/{delivery_id}/redeliver",
    operationId: "redeliverWebhook",
    summary: "Send a delivery's bytes again, as a new delivery",
    scope: "webhooks:write",
    subject: namedApp,
    params: { ...ID, delivery_id: "id of the delivery" },
    successes: success(202, "to be sent", { delivery: WebhookDeliverySchema }),
    async handle(ctx, { subject: app, params }) {
      const delivery = await redeliver(ctx, app, params["id"] ?? "", params["delivery_id"] ?? "");
      return json(202, { delivery });
    },
  }),
];
