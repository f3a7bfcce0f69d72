import { SvcError } from "@svc/shared/errors.ts";
import type { HealthEvent, UnhealthyReason } from "../apps/health/app-health.ts";
import { hasControlCharacter, quoted } from "../platform/invalid.ts";

/** Events of a webhook that asks for nothing else. */
export const DEPLOY_EVENTS = ["deploy.succeeded", "deploy.failed", "deploy.rolled_back"] as const;

/** The others are an extension, told only to webhooks that ask for them. */
export const WEBHOOK_EVENTS = [...DEPLOY_EVENTS, "app.unhealthy", "app.recovered"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export function asksForDeploysAlone(events: readonly WebhookEvent[]): boolean {
  return events.length === DEPLOY_EVENTS.length && DEPLOY_EVENTS.every((event) => events.includes(event));
}

/** The most webhooks of an app. */
export const WEBHOOKS_PER_APP_MAX = 5;

/** The first attempt and one retry. */
const DELIVERY_ATTEMPTS_MAX = 2;

/** How many deliveries of a webhook are kept; enough to see what went wrong lately. */
export const DELIVERIES_KEPT = 50;

/** The longest address that servers take; nothing real is longer. */
export const WEBHOOK_URL_LENGTH_MAX = 2048;

/** The notice to receivers when a deploy has ended. */
export interface DeployNotice {
  event: WebhookEvent;
  status: "succeeded" | "failed" | "canceled" | "rolled_back";
}

/** How a deploy has ended. */
export type DeployEnd = "success" | "failed" | "canceled";

const NOTICES: Readonly<Record<DeployEnd, DeployNotice>> = {
  success: { event: "deploy.succeeded", status: "succeeded" },
  failed: { event: "deploy.failed", status: "failed" },
  canceled: { event: "deploy.failed", status: "canceled" },
};

/** Undefined when nothing is to be told: a rollback that did not switch left everything as it was, and a move changes no release. */
export function deployNotice(kind: "deploy" | "rollback" | "move", status: DeployEnd): DeployNotice | undefined {
  if (kind === "deploy") return NOTICES[status];
  return kind === "rollback" && status === "success"
    ? { event: "deploy.rolled_back", status: "rolled_back" }
    : undefined;
}

export interface DeployNews extends DeployNotice, News {}

export interface HealthNews extends News {
  event: HealthEvent;
  status: "unhealthy" | "recovered";
  /** Absent when it has recovered. */
  reason?: UnhealthyReason;
}

interface News {
  app: string;
  /** For news about the app's health, the deploy of the live release. */
  deployId: string;
  /** The app's. */
  url: string;
  at: Date;
}

/** The exact bytes that are signed and sent: its fields, in its order, and then ours. */
export function webhookBody(news: DeployNews | HealthNews): Buffer {
  const { event, app, deployId, status, url, at } = news;
  const specified = { event, app, deploy_id: deployId, status, url, timestamp: at.toISOString() };
  return Buffer.from(JSON.stringify("reason" in news ? { ...specified, reason: news.reason } : specified));
}

export type DeliveryOutcome = "delivered" | "retry" | "failed";

/**
 * Decides what follows from an attempt: 2xx delivers, 4xx is permanent, anything else,
 * a redirect included, is tried once more.
 * @param responseStatus undefined when there was no answer
 * @param attempt which one it was, from 1
 */
export function deliveryOutcome(responseStatus: number | undefined, attempt: number): DeliveryOutcome {
  const hundreds = Math.floor((responseStatus ?? 0) / 100);
  if (hundreds === 2) return "delivered";
  return hundreds === 4 || attempt >= DELIVERY_ATTEMPTS_MAX ? "failed" : "retry";
}

/**
 * https and without credentials. Whether the host's addresses are public is looked up apart.
 * @throws SvcError invalid_webhook_url; a URL with credentials is not repeated in the sentence
 */
export function parseWebhookUrl(url: string): URL {
  if (url.length > WEBHOOK_URL_LENGTH_MAX) throw refused(`url is longer than ${WEBHOOK_URL_LENGTH_MAX} characters.`);
  // The parser would silently drop or turn these, and the address would not be the one that is shown.
  if (hasControlCharacter(url) || /[\s\\]/.test(url)) {
    throw refused("url holds a space, a backslash or a control character: give the plain https:// address.");
  }
  const authority = /^https:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority === undefined) {
    throw refused(`url ${quoted(url.replace(/^[^@]*@/, "…@"))} must begin with https://.`);
  }
  if (authority.includes("@")) {
    throw refused(
      "url holds credentials, which would be stored and shown: give it without the part before the @, " +
        "and let the receiver verify the signature.",
    );
  }
  const parsed = URL.parse(url);
  // An empty authority is skipped by the parser, which would take the path for it: https:///user@host.
  if (authority === "" || !parsed?.hostname || parsed.port === "0") {
    throw refused("url has no host and port that could be reached: give it as https://host/path.");
  }
  return parsed;
}

function refused(sentence: string): SvcError {
  return new SvcError("invalid_webhook_url", sentence);
}
