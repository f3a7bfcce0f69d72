import { sql } from "kysely";
import { nextHealth, type HealthRecord, type HealthStep, type ObservedHealth } from "./app-health.ts";
import type { AppsAddress } from "../../fleet/app-url.ts";
import { insertAudit } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { enqueueHealthNotice } from "../../webhooks/webhook-deliveries.store.ts";

interface Candidate extends HealthRecord {
  id: string;
  name: string;
  owner_id: string;
  deploy_id: string;
}

/**
 * Brings the health of a server's apps to what its agent observed. Whoever asked for it is told of each change in the
 * transaction that records it: once, whatever ends in between.
 * @param address where apps are served, for what webhooks are told
 * @returns false when the same observation may lead on if it is repeated
 */
export async function recordHealth(
  db: Db,
  serverId: string,
  observed: ReadonlyMap<string, ObservedHealth>,
  address: AppsAddress,
): Promise<boolean> {
  if (observed.size === 0) return true;
  const found = await liveApps(db, serverId, [...observed.keys()]);
  const changed = found.filter((app) => isStep(nextHealth(app, observed.get(app.id)!)));
  if (changed.length > 0) await recordChanges(db, serverId, changed, observed, address);
  // A release that is not live yet is live when its deploy has ended.
  return found.length === observed.size && found.every((app) => nextHealth(app, observed.get(app.id)!) === "same");
}

/** Looks again with the rows locked: another process may have heard the same. */
async function recordChanges(
  db: Db,
  serverId: string,
  changed: readonly Candidate[],
  observed: ReadonlyMap<string, ObservedHealth>,
  address: AppsAddress,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const ids = changed.map(({ id }) => id);
    // Locks in an order in which two transactions never wait for each other.
    await tx.selectFrom("apps").select("id").where("id", "in", ids).orderBy("id").forNoKeyUpdate().execute();
    for (const app of await liveApps(tx, serverId, ids)) {
      const step = nextHealth(app, observed.get(app.id)!);
      if (isStep(step)) await recordStep(tx, app, step, address);
    }
  });
}

async function recordStep(tx: Db, app: Candidate, { health, event }: HealthStep, address: AppsAddress): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ health: JSON.stringify(health), ...(event && { is_told_unhealthy: event === "app.unhealthy" }) })
    .where("id", "=", app.id)
    .execute();
  if (!event) return;
  await insertAudit(tx, {
    actor: "system",
    action: event,
    target: `app:${app.id}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { name: app.name, ...(health.reason !== null && { reason: health.reason }) },
  });
  await enqueueHealthNotice(tx, { ...app, deployId: app.deploy_id, event, reason: health.reason }, address);
}

/** Apps that should serve: one that was stopped is not unhealthy, whatever its agent still tells. */
async function liveApps(db: Db, serverId: string, ids: readonly string[]): Promise<Candidate[]> {
  return db
    .selectFrom("apps as a")
    .innerJoin("releases as r", "r.id", "a.current_release_id")
    .select(["a.id", "a.name", "a.owner_id", "a.health", "a.is_told_unhealthy as isToldUnhealthy", "r.deploy_id"])
    .where("a.server_id", "=", serverId)
    .where("a.id", "=", sql<string>`any(${ids}::uuid[])`)
    .where("a.status", "in", ["running", "deploying"])
    .execute();
}

function isStep(next: ReturnType<typeof nextHealth>): next is HealthStep {
  return typeof next === "object";
}

/** Notes that the agents of these servers have told their status just now. */
export async function recordHearings(db: Db, serverIds: readonly string[]): Promise<void> {
  if (serverIds.length === 0) return;
  await sql`
    insert into server_hearings (server_id, heard_at)
    select id, now() from unnest(${serverIds.toSorted()}::uuid[]) as heard (id)
    on conflict (server_id) do update set heard_at = excluded.heard_at
  `.execute(db);
}
