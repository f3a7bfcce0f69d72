import { SvcError } from "@svc/shared/errors.ts";
import { inTransaction, type Db } from "../platform/database/database.ts";
import { detachApps } from "../apps/status/app-stops.ts";
import { isMoving } from "../deploys/moves/is-moving.ts";
import { detachDeploys } from "../deploys/placement/detach-deploys.ts";
import { holdServer } from "../fleet/hold-server.ts";
import { retireServer } from "../fleet/retire-server.ts";
import { appsOnServer, lockAppsOnServer } from "./lifecycle.store.ts";
import { requireServer } from "../fleet/require-server.ts";

export interface RemovedServer {
  id: string;
  /** Names of the apps that lost their host. */
  apps: string[];
}

/**
 * Takes the server out of the fleet: its certificate is refused from now on. Its agent is told within seconds, or when it is
 * back, stops what serves there and ends; the databases' volumes stay on the host.
 * @param force also when apps live on it; they find a new host, and an empty database, at their next deploy
 * @throws SvcError not_found, invalid_request (apps live on it), deploy_in_progress (an app moves there or away)
 */
export async function removeServer(db: Db, name: string, { force }: { force: boolean }): Promise<RemovedServer> {
  for (;;) {
    const removed = await tryRemove(db, name, force);
    if (removed) return removed;
  }
}

/**
 * Locks its apps, then the server: the order in which deploys are started.
 * @returns undefined when an app was placed on it in between, whose lock would be out of order
 */
function tryRemove(db: Db, name: string, force: boolean): Promise<RemovedServer | undefined> {
  return inTransaction(db, async (tx) => {
    const { id } = await requireServer(tx, name);
    const locked = await lockAppsOnServer(tx, id);
    // An app that is being placed on it from here on waits, and then finds it gone.
    await holdServer(tx, id);
    const apps = await appsOnServer(tx, id);
    if (apps.some((app) => !locked.has(app))) return undefined;
    if (apps.length > 0 && !force) throw inUse(name, apps);
    if (await isMoving(tx, id)) throw moving(name);
    // The deploys first: they find the apps by the server.
    await detachDeploys(tx, id);
    await detachApps(tx, id);
    await retireServer(tx, { id, name }, apps);
    return { id, apps };
  });
}

const NAMES_SHOWN_MAX = 10;

function inUse(name: string, apps: readonly string[]): SvcError {
  const shown = apps.slice(0, NAMES_SHOWN_MAX).join(", ") + (apps.length > NAMES_SHOWN_MAX ? ", …" : "");
  return new SvcError(
    "invalid_request",
    `${apps.length === 1 ? "An app lives" : `${apps.length} apps live`} on ${name}: ${shown}. Move them first ` +
      `(\`server drain ${name} --evacuate\`), or repeat with --force: their databases stay behind on the host, and each app ` +
      "starts anew elsewhere when it is next deployed.",
  );
}

function moving(name: string): SvcError {
  return new SvcError(
    "deploy_in_progress",
    `An app moves to ${name} or away from it: wait until that has ended, then repeat.`,
  );
}
