import { asksForDeploysAlone } from "./webhook.ts";
import type { DeliveryRow } from "./webhook-deliveries.store.ts";
import type { WebhookRow } from "./webhooks.store.ts";

/**
 * A webhook as the API shows it; its secret is shown once and apart. One that asks for deploys' events alone has none, as all
 * do that the specification knows.
 */
export function webhookView({ id, url, events, created_at }: WebhookRow) {
  return { id, url, created_at: created_at.toISOString(), ...(!asksForDeploysAlone(events) && { events }) };
}

export function deliveryView(row: DeliveryRow) {
  return {
    id: row.id,
    event: row.event,
    status: row.status,
    deploy_id: row.deploy_id,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
