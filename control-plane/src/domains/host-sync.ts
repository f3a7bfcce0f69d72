import type { Logger } from "@svc/shared/platform/logger.ts";
import { perKey } from "@svc/shared/platform/per-key.ts";
import type { Db } from "../platform/database/database.ts";
import { listRoutedAppIds, lockRoutedApp, readRoutedApp, type RoutedApp } from "./domains.store.ts";
import { hostsOfApp } from "./hosts-of-app.ts";
import type { AgentLinks, Notifications } from "../ports.ts";

/** The agent writes one file; more means that it hangs. */
const SET_HOSTS_MS_MAX = 5_000;

export interface HostSyncOptions {
  db: Db;
  links: AgentLinks;
  appsDomain: string;
  log: Logger;
}

/** Makes the host names that agents serve those that the database has. */
export interface HostSync {
  /** Resolves when the app's agent has them, or when it is not this process that can tell it. Never rejects. */
  syncApp(appId: string): Promise<void>;
}

export function createHostSync({ db, links, appsDomain, log }: HostSyncOptions): HostSync {
  async function sync(appId: string): Promise<void> {
    const app = await readRoutedApp(db, appId);
    if (app?.isDeployed) return tell(db, app);
    // Routes of an app that is removed in this moment would stay: its removal has nothing to find them by later.
    if (app) await db.transaction().execute(async (trx) => tell(trx, await lockRoutedApp(trx, appId)));
  }

  async function tell(conn: Db, app: RoutedApp | undefined): Promise<void> {
    const agent = app && links.agent(app.serverId);
    if (!agent) return;
    const hosts = await hostsOfApp(conn, app, appsDomain);
    const request = {
      app: { id: app.id, name: app.name, ownerId: app.ownerId },
      ...hosts,
      undeployed: !app.isDeployed,
      release: app.release ?? "",
      stopped: app.isStopped,
    };
    await agent.setAppHosts(request, { timeoutMs: SET_HOSTS_MS_MAX });
  }

  // One at a time per app, so that a slow call never overtakes a later one with what it read before.
  const syncs = perKey({ work: sync, failing: "hosts not set; the next link or deploy will", log });
  return { syncApp: syncs.wake };
}

/** Syncs an app when it changed anywhere, and all apps of a server when its link comes up. */
export function startHostReconciler(options: HostSyncOptions & { sync: HostSync; notifications: Notifications }): {
  name: string;
  stop(): Promise<void>;
} {
  const { db, links, log, sync, notifications } = options;

  const stopping = new AbortController();

  async function syncServer(serverId: string): Promise<void> {
    for (const appId of links.agent(serverId) ? await listRoutedAppIds(db, serverId) : []) {
      if (!links.agent(serverId) || stopping.signal.aborted) return;
      await sync.syncApp(appId);
    }
  }
  const servers = perKey({ work: syncServer, failing: "hosts not set", log }, stopping.signal);
  const unsubscribe = [
    links.onChange((serverId) => void servers.wake(serverId)),
    notifications.subscribe("routes", (appId) => {
      if (appId) void sync.syncApp(appId);
      else for (const serverId of links.linkedServers()) void servers.wake(serverId);
    }),
  ];
  return {
    name: "host reconciler",
    async stop() {
      stopping.abort();
      for (const end of unsubscribe) end();
      await servers.idle();
    },
  };
}
