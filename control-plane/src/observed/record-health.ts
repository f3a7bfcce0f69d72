import { nextHealth, type HealthStep, type ObservedHealth } from "../apps/health/app-health.ts";
import { noteHealth } from "../apps/health/note-health.ts";
import type { AppsAddress } from "../fleet/app-url.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { announceHealth } from "../webhooks/announce.ts";
import { liveApps, lockApps, type LiveApp } from "./observed-apps.store.ts";

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
  // An app that is not live yet is so when its deploy has ended.
  return found.length === observed.size && found.every((app) => nextHealth(app, observed.get(app.id)!) === "same");
}

/** Looks again with the rows locked: another process may have heard the same. */
async function recordChanges(
  db: Db,
  serverId: string,
  changed: readonly LiveApp[],
  observed: ReadonlyMap<string, ObservedHealth>,
  address: AppsAddress,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const ids = changed.map(({ id }) => id);
    await lockApps(tx, ids);
    for (const app of await liveApps(tx, serverId, ids)) {
      const step = nextHealth(app, observed.get(app.id)!);
      if (isStep(step)) await recordStep(tx, app, step, address);
    }
  });
}

async function recordStep(tx: Db, app: LiveApp, { health, event }: HealthStep, address: AppsAddress): Promise<void> {
  await noteHealth(tx, app.id, health, event);
  if (!event) return;
  await insertAudit(tx, {
    actor: "system",
    action: event,
    target: `app:${app.id}`,
    requestId: null,
    ownerId: app.owner_id,
    detail: { name: app.name, ...(health.reason !== null && { reason: health.reason }) },
  });
  await announceHealth(tx, { ...app, deployId: app.deploy_id, event, reason: health.reason }, address);
}

function isStep(next: ReturnType<typeof nextHealth>): next is HealthStep {
  return typeof next === "object";
}
