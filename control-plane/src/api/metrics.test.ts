import { expect, test } from "vitest";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { openDatabase } from "../platform/database/database.ts";
import { createMetrics } from "./metrics.ts";

test("metrics answer while the database is away, without the counts", async () => {
  const db = openDatabase({ url: "postgres://svc@127.0.0.1:1/svc", log: silentLogger });
  const links = { agent: () => undefined, linkedServers: () => ["a"], onChange: () => () => undefined };
  try {
    const text = await createMetrics({ db, links }).text();
    expect(text).toMatch(/^svc_agent_links 1$/m);
    expect(text).not.toMatch(/^svc_deploys\{|^svc_deploy_queue_length |^svc_webhook_deliveries_waiting /m);
  } finally {
    await db.destroy();
  }
});
