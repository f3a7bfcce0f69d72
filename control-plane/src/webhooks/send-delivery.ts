import { createHmac } from "node:crypto";
import { OutboundError, type GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { ClaimedDelivery } from "./webhook-deliveries.store.ts";

export interface Answered {
  /** Null when there was no answer. */
  responseStatus: number | null;
  /** Why it was not delivered, for the webhook's owner; null when it was. */
  error: string | null;
}

/**
 * One attempt to deliver, with the headers of the specification (Events).
 * @param secret keys the signature of the exact bytes that are sent
 */
export async function sendDelivery(
  outbound: GuardedFetch,
  delivery: ClaimedDelivery,
  secret: string,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<Answered> {
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "svc-webhooks",
    "X-Service-Event": delivery.event,
    "X-Service-Delivery": delivery.webhook_id,
    "X-Service-Signature": signatureOf(delivery.body, secret),
  };
  try {
    const url = new URL(delivery.url);
    const { status } = await outbound.send({ url, method: "POST", headers, body: delivery.body, ...limits });
    return { responseStatus: status, error: complaintAbout(status) };
  } catch (error) {
    if (error instanceof OutboundError) return { responseStatus: null, error: error.message };
    throw error;
  }
}

/** `sha256=<hex>`. */
function signatureOf(body: Buffer, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function complaintAbout(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`;
  return `The receiver answered ${status}.`;
}
