import { sql } from "kysely";
import type { PlatformStop } from "../app.ts";
import type { Db } from "../../platform/database/database.ts";

/** Undefined unless the platform has stopped the app and nobody has started or deployed it since. */
export async function readPlatformStop(db: Db, appId: string): Promise<PlatformStop | undefined> {
  const row = await db
    .selectFrom("apps")
    .select("platform_stop")
    .where("id", "=", appId)
    .where("platform_stop_holds", "=", true)
    .executeTakeFirst();
  return row?.platform_stop ?? undefined;
}

export async function writePlatformStop(tx: Db, appId: string, stop: PlatformStop): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ platform_stop: JSON.stringify(stop), platform_stop_holds: true })
    .where("id", "=", appId)
    .execute();
}

export async function forgetPlatformStop(tx: Db, appId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ platform_stop_holds: false, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .where("platform_stop_holds", "=", true)
    .execute();
}
