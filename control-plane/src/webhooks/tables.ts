import type { ColumnType, Generated } from "kysely";
import type { WebhookEvent } from "./webhook.ts";

/** The tables as the migrations leave them; meanings are in the migrations' comments. */
declare module "../platform/database/schema.ts" {
  interface Database {
    webhooks: {
      id: string;
      app_id: string;
      url: string;
      secret: Buffer;
      events: ColumnType<WebhookEvent[], readonly WebhookEvent[] | undefined, never>;
      created_at: CreatedAt;
    };
    webhook_deliveries: {
      id: string;
      webhook_id: string;
      event: WebhookEvent;
      body: Buffer;
      status: "pending" | "delivered" | "failed";
      attempts: Generated<number>;
      next_attempt_at: Date | null;
      claimed_until: Date | null;
      response_status: number | null;
      error: string | null;
      created_at: CreatedAt;
      finished_at: Date | null;
    };
  }
}
