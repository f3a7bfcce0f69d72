import { asksForDeploysAlone } from "./webhook.ts";
import type { DeliveryRow } from "./webhook-deliveries.store.ts";
import type { WebhookRow } from "./webhooks.store.ts";

/** A webhook as the API shows it; its secret is shown once and apart. */
export interface WebhookView {
  id: string;
  url: string;
  created_at: string;
  /** Absent of one that asks for deploys' events alone, as all do that the specification knows. */
  events?: string[];
}

export interface DeliveryView {
  id: string;
  event: string;
  status: string;
  deploy_id: string;
  attempts: number;
  response_status: number | null;
  error: string | null;
  created_at: string;
  finished_at: string | null;
}

export function webhookView({ id, url, events, created_at }: WebhookRow): WebhookView {
  return { id, url, created_at: created_at.toISOString(), ...(!asksForDeploysAlone(events) && { events }) };
}

export function deliveryView(row: DeliveryRow): DeliveryView {
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
