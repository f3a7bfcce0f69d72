import type { Logger } from "@svc/shared/platform/logger.ts";
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
  /** One at a time per app, so that a slow call never overtakes a later one with what it read before. */
  const turns = new Map<string, Promise<void>>();

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

  return {
    syncApp(appId) {
      const turn = (turns.get(appId) ?? Promise.resolve())
        .then(() => sync(appId))
        .catch((error: unknown) =>
          log.warn({ err: error, app_id: appId }, "hosts not set; the next link or deploy will"),
        )
        .finally(() => {
          if (turns.get(appId) === turn) turns.delete(appId);
        });
      turns.set(appId, turn);
      return turn;
    },
  };
}

/** Syncs an app when it changed anywhere, and all apps of a server when its link comes up. */
export function startHostReconciler(options: HostSyncOptions & { sync: HostSync; notifications: Notifications }): {
  name: string;
  stop(): Promise<void>;
} {
  const { db, links, log, sync, notifications } = options;

  async function syncServer(serverId: string): Promise<void> {
    for (const appId of await listRoutedAppIds(db, serverId)) {
      if (!links.agent(serverId)) return;
      await sync.syncApp(appId);
    }
  }
  const serve = (serverId: string): void => {
    if (!links.agent(serverId)) return;
    syncServer(serverId).catch((error: unknown) => log.warn({ err: error, server_id: serverId }, "hosts not set"));
  };
  const unsubscribe = [
    links.onChange(serve),
    notifications.subscribe("routes", (appId) => {
      if (appId) void sync.syncApp(appId);
      else for (const serverId of links.linkedServers()) serve(serverId);
    }),
  ];
  return {
    name: "host reconciler",
    async stop() {
      for (const end of unsubscribe) end();
    },
  };
}
