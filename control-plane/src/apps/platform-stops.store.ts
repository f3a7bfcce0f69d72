import { sql } from "kysely";
import type { AppStatus } from "./app.ts";
import { recordAppStatus } from "./apps.store.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";

/** Why an app was stopped by the platform, as the API shows it. */
export interface PlatformStop {
  reason: string;
  /** A sentence for the owner. */
  detail: string;
  /** ISO 8601. */
  at: string;
}

/** The report of an agent about its apps. */
export interface ObservedStops {
  /** App → why the agent has stopped it. */
  stops: ReadonlyMap<string, PlatformStop>;
  /** Apps whose container runs. */
  running: ReadonlySet<string>;
}

/** A status that was observed before a start or a deploy ended may arrive this long after it. */
const LATE_SECONDS_MAX = 10;

interface Candidate {
  id: string;
  name: string;
  owner_id: string;
  status: AppStatus;
  platform_stop: PlatformStop | null;
  platform_stop_holds: boolean;
  is_settled: boolean;
}

/**
 * Brings the apps of a server to what its agent says: one that it has stopped is `stopped` with the reason, and each stop
 * is audited once; one that runs again is not.
 */
export async function recordPlatformStops(db: Db, serverId: string, { stops, running }: ObservedStops): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const app of await candidates(tx, serverId, [...stops.keys()])) {
      const stop = stops.get(app.id);
      if (stop) await recordStop(tx, app, stop);
      else if (running.has(app.id)) await clearStop(tx, app);
    }
  });
}

/** Locks the apps that are or were stopped there, in an order in which two transactions never wait for each other. */
async function candidates(tx: Db, serverId: string, stopped: readonly string[]): Promise<Candidate[]> {
  return tx
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "status", "platform_stop", "platform_stop_holds"])
    .select(sql<boolean>`updated_at < now() - make_interval(secs => ${LATE_SECONDS_MAX})`.as("is_settled"))
    .where("server_id", "=", serverId)
    .where("status", "<>", "soft_stopped")
    .where((where) =>
      where.or([where("platform_stop_holds", "=", true), where("id", "=", sql<string>`any(${stopped}::uuid[])`)]),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

async function recordStop(tx: Db, app: Candidate, stop: PlatformStop): Promise<void> {
  const isNew = app.platform_stop?.at !== stop.at;
  const isKnown = app.platform_stop_holds || !app.is_settled;
  if (!isNew && isKnown) return;
  await tx
    .updateTable("apps")
    .set({ platform_stop: JSON.stringify(stop), platform_stop_holds: true })
    .where("id", "=", app.id)
    .execute();
  await recordAppStatus(tx, app, "stopped");
  if (!isNew) return;
  await insertAudit(tx, {
    actor: "system",
    action: "app.stop",
    target: `app:${app.id}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { name: app.name, reason: stop.reason, detail: stop.detail },
  });
}

/** The answer of a start may have been lost. */
async function clearStop(tx: Db, app: Candidate): Promise<void> {
  await recordAppStatus(tx, app, "running");
}

/** Is undefined unless the platform has stopped the app and nobody has started or deployed it since. */
export async function readPlatformStop(db: Db, appId: string): Promise<PlatformStop | undefined> {
  const row = await db
    .selectFrom("apps")
    .select("platform_stop")
    .where("id", "=", appId)
    .where("platform_stop_holds", "=", true)
    .executeTakeFirst();
  return row?.platform_stop ?? undefined;
}
