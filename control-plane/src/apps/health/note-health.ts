import type { Db } from "../../platform/database/database.ts";
import type { HealthEvent, RecordedHealth } from "./app-health.ts";
import { writeHealth } from "./health.store.ts";

/** Notes how the app is, and what is told of it. The caller holds the app's row. */
export async function noteHealth(
  tx: Db,
  appId: string,
  health: RecordedHealth,
  event: HealthEvent | undefined,
): Promise<void> {
  await writeHealth(tx, appId, health, event && event === "app.unhealthy");
}
