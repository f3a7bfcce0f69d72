import type { RecordedHealth } from "./app-health.ts";
import type { Db } from "../../platform/database/database.ts";

/** @param isToldUnhealthy undefined: as it was */
export async function writeHealth(
  tx: Db,
  appId: string,
  health: RecordedHealth,
  isToldUnhealthy: boolean | undefined,
): Promise<void> {
  await tx
    .updateTable("apps")
    .set({
      health: JSON.stringify(health),
      ...(isToldUnhealthy !== undefined && { is_told_unhealthy: isToldUnhealthy }),
    })
    .where("id", "=", appId)
    .execute();
}
