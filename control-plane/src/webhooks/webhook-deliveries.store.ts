import { sql, type InferResult } from "kysely";
import { DELIVERIES_KEPT, type WebhookEvent } from "./webhook.ts";
import type { Db } from "../platform/database/database.ts";

/** A delivery with what a worker needs to send it. */
export interface ClaimedDelivery {
  id: string;
  webhook_id: string;
  /** The owner of the webhook's app. */
  owner_id: string;
  event: WebhookEvent;
  body: Buffer;
  /** Attempts that were made before this one. */
  attempts: number;
  url: string;
  /** Is sealed. */
  secret: Buffer;
}

/** Reads all that the news about a deploy's end tell of it. */
export async function readEndedDeploy(tx: Db, deployId: string) {
  return tx
    .selectFrom("deploys as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .leftJoin("releases as target", "target.id", "d.target_release_id")
    .select(["d.app_id", "d.kind", "d.finished_at", "a.name", "target.deploy_id as target_deploy_id"])
    .where("d.id", "=", deployId)
    .executeTakeFirstOrThrow();
}

/** The webhooks of the app that ask for the event; they can't be deleted until the transaction ends. */
export async function holdReceivers(tx: Db, appId: string, event: WebhookEvent): Promise<string[]> {
  const webhooks = await tx
    .selectFrom("webhooks")
    .select("id")
    .where("app_id", "=", appId)
    .where(sql<boolean>`${event} = any(events)`)
    .orderBy("id")
    .forKeyShare()
    .execute();
  return webhooks.map(({ id }) => id);
}

/** Due at once; workers hear of it when the transaction commits. */
export async function insertDelivery(
  tx: Db,
  delivery: { id: string; webhookId: string; event: WebhookEvent; body: Buffer },
): Promise<void> {
  await tx
    .insertInto("webhook_deliveries")
    .values({
      id: delivery.id,
      webhook_id: delivery.webhookId,
      event: delivery.event,
      body: delivery.body,
      status: "pending",
      next_attempt_at: sql<Date>`now()`,
    })
    .execute();
  await sql`select pg_notify('webhooks', '')`.execute(tx);
}

/** Counts the deliveries that are to be sent, or sent again. */
export async function countWaitingDeliveries(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_deliveries")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("next_attempt_at", "is not", null)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Takes the delivery that has been due for longest, passing over those that another worker holds. A claim that is not
 * followed by a record ends by itself, and the delivery is sent again: a receiver gets it at least once.
 * @param busy webhooks that this worker is sending to, and owners that it has no further place for
 */
export async function claimDelivery(
  db: Db,
  busy: { webhookIds: readonly string[]; ownerIds: readonly string[] },
  claimMs: number,
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery>`
    update webhook_deliveries d
    set claimed_until = now() + ${claimMs} * interval '1 millisecond'
    from webhooks w
      join apps a on a.id = w.app_id
    where w.id = d.webhook_id
      and d.id = (
        select due.id
        from webhook_deliveries due
          join webhooks on webhooks.id = due.webhook_id
          join apps on apps.id = webhooks.app_id
        where due.next_attempt_at <= now()
          and (due.claimed_until is null or due.claimed_until <= now())
          and due.webhook_id <> all(${busy.webhookIds}::uuid[])
          and apps.owner_id <> all(${busy.ownerIds}::uuid[])
        order by due.next_attempt_at, due.id
        limit 1
        for update of due skip locked
      )
    returning d.id, d.webhook_id, a.owner_id, d.event, d.body, d.attempts, w.url, w.secret
  `.execute(db);
  return rows[0];
}

export type AttemptEnd = { responseStatus: number | null; error: string | null } & (
  { outcome: "delivered" | "failed" } | { outcome: "retry"; retryDelayMs: number }
);

/** Notes how the attempt ended, unless another worker was faster; then drops what is older than the last 50. */
export async function recordAttempt(db: Db, delivery: ClaimedDelivery, end: AttemptEnd): Promise<void> {
  const again = end.outcome === "retry";
  await db
    .updateTable("webhook_deliveries")
    .set({
      status: end.outcome === "retry" ? "pending" : end.outcome,
      attempts: delivery.attempts + 1,
      response_status: end.responseStatus,
      error: end.error,
      claimed_until: null,
      next_attempt_at: again ? sql<Date>`now() + ${end.retryDelayMs} * interval '1 millisecond'` : null,
      finished_at: again ? null : sql<Date>`now()`,
    })
    .where("id", "=", delivery.id)
    .where("attempts", "=", delivery.attempts)
    .where("status", "=", "pending")
    .execute();
  if (!again) await deleteOldDeliveries(db, delivery.webhook_id);
}

/** Gives a delivery that was not sent to whoever claims next. */
export async function giveUpDelivery(db: Db, delivery: ClaimedDelivery): Promise<void> {
  await db
    .updateTable("webhook_deliveries")
    .set({ claimed_until: null })
    .where("id", "=", delivery.id)
    .where("attempts", "=", delivery.attempts)
    .execute();
}

/**
 * Deletes deliveries that are still to be sent as well: a receiver that is away must not let its backlog grow without
 * end.
 */
async function deleteOldDeliveries(db: Db, webhookId: string): Promise<void> {
  await sql`
    delete from webhook_deliveries
    where id in (
      select id from webhook_deliveries
      where webhook_id = ${webhookId}
      order by created_at desc, id desc
      offset ${DELIVERIES_KEPT}
    )
  `.execute(db);
}

/** The last 50, newest first. */
export async function readDeliveries(db: Db, webhookId: string): Promise<DeliveryRow[]> {
  return newestFirst(db).where("webhook_id", "=", webhookId).limit(DELIVERIES_KEPT).execute();
}

/** Reads what is kept of all webhooks of the app, newest first. */
export async function readDeliveriesOfApp(db: Db, appId: string): Promise<DeliveryRow[]> {
  const webhooks = db.selectFrom("webhooks").select("id").where("app_id", "=", appId);
  return newestFirst(db).where("webhook_id", "in", webhooks).execute();
}

export async function readDelivery(db: Db, webhookId: string, id: string): Promise<DeliveryRow> {
  return selectDeliveries(db).where("webhook_id", "=", webhookId).where("id", "=", id).executeTakeFirstOrThrow();
}

const newestFirst = (db: Db) => selectDeliveries(db).orderBy("created_at", "desc").orderBy("id", "desc");

function selectDeliveries(db: Db) {
  return db
    .selectFrom("webhook_deliveries")
    .select([
      "id",
      "webhook_id",
      "event",
      "status",
      "attempts",
      "response_status",
      "error",
      "created_at",
      "finished_at",
    ])
    .select(sql<string>`convert_from(body, 'UTF8')::json ->> 'deploy_id'`.as("deploy_id"));
}

export type DeliveryRow = InferResult<ReturnType<typeof selectDeliveries>>[number];

export async function readDeliveryBody(
  db: Db,
  webhookId: string,
  id: string,
): Promise<{ event: WebhookEvent; body: Buffer } | undefined> {
  return db
    .selectFrom("webhook_deliveries")
    .select(["event", "body"])
    .where("webhook_id", "=", webhookId)
    .where("id", "=", id)
    .executeTakeFirst();
}
