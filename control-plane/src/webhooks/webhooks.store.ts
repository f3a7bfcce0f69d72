import { sql } from "kysely";
import type { WebhookEvent } from "./webhook.ts";
import type { Db } from "../platform/database/database.ts";
import type { Row } from "../platform/database/schema.ts";

const COLUMNS = ["id", "url", "events", "created_at"] as const;

export type WebhookRow = Row<"webhooks", (typeof COLUMNS)[number]>;

export async function insertWebhook(
  tx: Db,
  webhook: { id: string; appId: string; url: string; secret: Buffer; events: readonly WebhookEvent[] },
): Promise<WebhookRow> {
  return tx
    .insertInto("webhooks")
    .values({ id: webhook.id, app_id: webhook.appId, url: webhook.url, secret: webhook.secret, events: webhook.events })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function countWebhooks(db: Db, appId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhooks")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("app_id", "=", appId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Oldest first. */
export async function readWebhooks(db: Db, appId: string): Promise<WebhookRow[]> {
  return db.selectFrom("webhooks").select(COLUMNS).where("app_id", "=", appId).orderBy("id").execute();
}

export async function hasWebhook(db: Db, appId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhooks")
    .select("id")
    .where("app_id", "=", appId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** The same, and it can't be deleted until the transaction ends. */
export async function holdWebhook(tx: Db, appId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom("webhooks")
    .select("id")
    .where("app_id", "=", appId)
    .where("id", "=", id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the webhook with its deliveries. Returns whether there was one. */
export async function deleteWebhook(tx: Db, appId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("webhooks")
    .where("app_id", "=", appId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
