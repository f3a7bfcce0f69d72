import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { Db } from "../platform/database/database.ts";
import { claimDelivery, giveUpDelivery, recordAttempt, type ClaimedDelivery } from "./webhook-deliveries.store.ts";
import { deliveryOutcome } from "./webhook.ts";
import { sealContext, type KeyRing, type Notifications } from "../ports.ts";
import { sendDelivery } from "./send-delivery.ts";

export interface DelivererSettings {
  db: Db;
  outbound: GuardedFetch;
  keyRing: KeyRing;
  notifications: Notifications;
  clock: Clock;
  log: Logger;
  timing: WebhookTiming;
}

export interface WebhookTiming {
  /** Time of one attempt, from the look-up of the name to the answer. */
  timeoutMs: number;
  /** How long a claim stands; more than an attempt with its record can take. */
  claimMs: number;
  retryDelayMs: number;
  /** The slow look for notifications that were lost, and for claims of workers that died. */
  pollMs: number;
  /** How long a process that stops lets attempts finish before it gives them to another. */
  stopGraceMs: number;
}

/** Receivers that answer later than 10 s do their work before they answer; 5 s is the decisions' pause (Webhook URL). */
export const webhookTiming: WebhookTiming = {
  timeoutMs: 10_000,
  claimMs: 30_000,
  retryDelayMs: 5_000,
  pollMs: 5_000,
  stopGraceMs: 3_000,
};

/** This is enough for a burst of deploys; each is a socket and little more. */
const CONCURRENCY = 8;

/** One receiver that is away keeps no other of its owner waiting, and no owner's receivers keep those of others. */
const CONCURRENCY_PER_OWNER = 2;

/**
 * Sends the deliveries that are due: at most 8 at a time, 2 of an owner, and one at a time to a webhook, so that slow
 * receivers keep only their own waiting. Any number of processes do so on one database. A process that dies between sending and
 * recording leaves a claim that ends, and the delivery is sent again: at least once, and once in the normal case.
 */
export function startDeliverer(settings: DelivererSettings) {
  const { db, notifications, clock, log, timing } = settings;
  const stopping = new AbortController();
  const aborting = new AbortController();
  /** Attempts under way, by webhook. */
  const sending = new Map<string, { ownerId: string; ended: Promise<void> }>();
  /** Claims again: a place is free, or an attempt is due. */
  let wake = (): void => undefined;

  /** Claims until nothing is due or every place is taken. */
  async function claimAll(): Promise<void> {
    while (sending.size < CONCURRENCY && !stopping.signal.aborted) {
      const delivery = await claimDelivery(db, busy(), timing.claimMs);
      if (!delivery) return;
      const ended = deliver(delivery)
        .catch((error: unknown) => log.error({ err: error, delivery_id: delivery.id }, "delivery not recorded"))
        .finally(() => {
          sending.delete(delivery.webhook_id);
          wake();
        });
      sending.set(delivery.webhook_id, { ownerId: delivery.owner_id, ended });
    }
  }

  function busy(): { webhookIds: string[]; ownerIds: string[] } {
    const ofOwner = Map.groupBy(sending.values(), ({ ownerId }) => ownerId);
    const full = [...ofOwner].filter(([, attempts]) => attempts.length >= CONCURRENCY_PER_OWNER);
    return { webhookIds: [...sending.keys()], ownerIds: full.map(([ownerId]) => ownerId) };
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const attempt = delivery.attempts + 1;
    const startedAt = clock.now().getTime();
    const answered = await attemptDelivery(delivery);
    if (!answered) return giveUpDelivery(db, delivery);
    const outcome = deliveryOutcome(answered.responseStatus ?? undefined, attempt);
    await recordAttempt(
      db,
      delivery,
      outcome === "retry" ? { ...answered, outcome, retryDelayMs: timing.retryDelayMs } : { ...answered, outcome },
    );
    const { id: delivery_id, webhook_id, event } = delivery;
    const duration_ms = clock.now().getTime() - startedAt;
    const { responseStatus: response_status, error } = answered;
    const line = { delivery_id, webhook_id, event, attempt, outcome, response_status, reason: error, duration_ms };
    if (outcome === "failed") log.warn(line, "webhook not delivered");
    else log.info(line, "webhook attempt");
    if (outcome === "retry") wakeLater();
  }

  /** Is undefined when this process stops before there was an answer. */
  async function attemptDelivery(delivery: ClaimedDelivery) {
    try {
      const secret = settings.keyRing.open(delivery.secret, sealContext.webhookSecret(delivery.webhook_id));
      const limits = { timeoutMs: timing.timeoutMs, signal: aborting.signal };
      return await sendDelivery(settings.outbound, delivery, secret, limits);
    } catch (error) {
      if (aborting.signal.aborted) return undefined;
      // A bug of ours, or a key that is missing: as an attempt it ends, as a claim it would come back for ever.
      log.error({ err: error, delivery_id: delivery.id }, "webhook attempt failed on our side");
      return { responseStatus: null, error: "Something went wrong on our side." };
    }
  }

  function wakeLater(): void {
    void clock.sleep(timing.retryDelayMs, stopping.signal).then(
      () => wake(),
      () => undefined,
    );
  }

  const failing = "deliveries can't be claimed";
  const wakeOn = (again: () => void): (() => void) => {
    wake = again;
    return notifications.subscribe("webhooks", again);
  };
  const claiming = repeat({ everyMs: timing.pollMs, failing, work: claimAll, wakeOn, clock, log }, stopping.signal);

  return {
    name: "webhooks",
    async stop(): Promise<void> {
      stopping.abort(new Error("the process stops"));
      await claiming;
      const grace = setTimeout(() => aborting.abort(new Error("the process stops")), timing.stopGraceMs);
      await Promise.all([...sending.values()].map(({ ended }) => ended));
      clearTimeout(grace);
    },
  };
}
