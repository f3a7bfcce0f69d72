import { z } from "@hono/zod-openapi";
import { WEBHOOK_EVENTS, WEBHOOK_URL_LENGTH_MAX } from "./webhook.ts";

const id = () => z.string().openapi({ format: "uuid" });
const time = () => z.string().openapi({ format: "date-time", description: "ISO 8601, UTC" });

export const CreateWebhookSchema = z
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

export const WebhookSchema = z
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

export const WebhookDeliverySchema = z
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
