import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import type { RoutedHost } from "../platform/hostname.ts";
import { routesTo, undeployedRoutes, withoutStop } from "../edge/routes.ts";
import { drain } from "../edge/drain.ts";
import { findServing, type LiveRelease } from "./find-serving.ts";
import type { AppRef, ContainerState, Engine, OwnedApp, Proxy, Route } from "../ports.ts";
import { untilPostgresReady, type ReadyWait } from "../database/until-ready.ts";
import { acceptsConnection } from "../edge/upstream-probe.ts";

/** A deploy waits as long for the same. */
const LISTEN_SECONDS_MAX = 60;
/** Most recoveries after a crash take a few seconds; one that takes longer goes on, and the app can be started after it. */
const DATABASE_SECONDS_MAX = 30;
const LISTEN_POLL_MS = 100;

export interface AppControlOptions {
  engine: Engine;
  proxy: Proxy;
  /** Keeps a last dump of the app's database, if it has one. @throws SvcError database_dump_failed */
  keepLastDump: (app: AppRef) => Promise<unknown>;
  clock: Clock;
  log: Logger;
  /** Refuses to start an app on a host that has promised more memory than it has. @throws SvcError server_memory_full */
  requireMemory?: (appName: string) => Promise<void>;
  /** How long open requests of a container may take that is about to be stopped. */
  drainSeconds?: number;
  /** True when the upstream (address:port) accepts a connection. */
  accepts?: (upstream: string) => Promise<boolean>;
  isDatabaseReady?: ReadyWait["isReady"];
}

/** Does with an app what is done outside a deploy. Each call is idempotent. */
export interface AppControl {
  /**
   * Starts the database of the app, then its container, and serves it once it listens, for which it waits until `superseded`
   * aborts: then something else is asked of the app.
   * @throws SvcError not_found, database_not_ready, app_not_listening, server_memory_full
   */
  start(app: AppRef, superseded: AbortSignal): Promise<void>;
  /** The app's hosts answer 503 from here on; its container is stopped and kept. @throws SvcError not_found */
  stop(app: AppRef): Promise<void>;
  /**
   * The same, and what a deploy has replaced ends as well: nothing of the app writes to its databases afterwards. An app
   * without a container is no error.
   */
  quiesce(app: AppRef): Promise<void>;
  /**
   * Requests without a body that arrive meanwhile wait in the proxy, at most 10 s; Caddy 2.6 can't send a body twice.
   * @throws SvcError not_found, database_not_ready, app_not_listening, server_memory_full when the app is stopped
   */
  restart(app: AppRef, superseded: AbortSignal): Promise<void>;
  /**
   * Leads these hosts, and no others, to the app's container; one that is stopped stays so.
   * @param live by which the container of an app without routes is found; undefined: it is not looked for
   * @throws SvcError not_found
   */
  setHosts(app: OwnedApp, hosts: readonly RoutedHost[], live: LiveRelease | undefined): Promise<void>;
  /**
   * The same for an app that has no release: without a container its hosts say so. Nothing is changed once the signal has
   * aborted: the app may be removed then.
   */
  setHostsOfUndeployed(app: OwnedApp, hosts: readonly RoutedHost[], signal: AbortSignal): Promise<void>;
  /**
   * Removes routes and containers; a database is stopped and kept. With `purge` it removes the database too, after a
   * last dump, with network, volumes and images. An app without any is no error.
   * @param isCopy the data is another host's: no dump of it is kept
   * @throws SvcError database_dump_failed: nothing of the database was removed
   */
  remove(app: AppRef, purge: boolean, isCopy?: boolean): Promise<void>;
}

export function createAppControl(options: AppControlOptions): AppControl {
  const { engine, proxy, keepLastDump, clock, log, drainSeconds = 10, accepts = acceptsConnection } = options;
  const { requireMemory = () => Promise.resolve(), isDatabaseReady } = options;

  /** Apps whose routes are gone for good, and whose containers go. */
  const removing = new Set<string>();

  async function routesOf(app: AppRef): Promise<Route[]> {
    return (await proxy.routes()).filter((route) => route.appId === app.id);
  }

  /** The container that the app's routes name. @throws SvcError not_found */
  async function containerOf(app: AppRef): Promise<ContainerState> {
    const routes = await routesOf(app);
    const routed = new Set(routes.map(({ containerId }) => containerId));
    const containers = await engine.list({ appId: app.id, role: "app" });
    const container = containers.find(({ id }) => routed.has(id));
    if (container) return container;
    const stop = routes.find(({ stoppedBy }) => stoppedBy)?.stoppedBy;
    throw new SvcError(
      "not_found",
      stop?.detail ?? `The app ${app.name} has no container on this server; deploy it first.`,
    );
  }

  /** Forgets what had stopped the app before; what stops it while it starts stays. */
  async function forgetStop(app: AppRef): Promise<void> {
    if (!(await routesOf(app)).some(({ stoppedBy }) => stoppedBy)) return;
    await proxy.updateRoutes(app.id, (current) => current.map(withoutStop));
  }

  /**
   * Leads the app's hosts to where the container is now.
   * @throws SvcError deploy_in_progress when a deploy has led them to another one meanwhile, app_not_listening when the
   * agent has stopped it again
   */
  async function serve(app: AppRef, { id: containerId, address, port }: ContainerState): Promise<void> {
    const upstream = `${address}:${port}`;
    await proxy.updateRoutes(app.id, (current) => {
      requireStillLeadingTo(containerId, current, app);
      requireNotStopped(current);
      return current.map((route) => ({ ...route, upstream, state: "serving" }));
    });
  }

  async function answerStopped(app: AppRef, containerId: string): Promise<void> {
    await proxy.updateRoutes(app.id, (current) => {
      requireStillLeadingTo(containerId, current, app);
      return current.map((route) => ({ ...route, state: "stopped" }));
    });
  }

  async function startDatabase(app: AppRef, superseded: AbortSignal): Promise<void> {
    for (const database of await engine.list({ appId: app.id, role: "database" })) {
      if (database.state !== "running") await engine.start(database.id);
      const wait = { msMax: DATABASE_SECONDS_MAX * 1000, clock, signal: superseded, isReady: isDatabaseReady };
      if (await untilPostgresReady(database, wait)) continue;
      throw new SvcError(
        "database_not_ready",
        `The app ${app.name} was not started, since its database takes no connections. Try again; if it stays so, whoever ` +
          "runs this service finds the reason in the database's log.",
      );
    }
  }

  async function startAndServe(app: AppRef, id: string, superseded: AbortSignal): Promise<void> {
    await forgetStop(app);
    await engine.start(id);
    const deadline = clock.now().getTime() + LISTEN_SECONDS_MAX * 1000;
    while (clock.now().getTime() < deadline) {
      const container = await containerOf(app);
      if (container.state === "running" && (await accepts(`${container.address}:${container.port}`))) {
        return serve(app, container);
      }
      if (container.state === "exited" || container.state === "dead" || superseded.aborted) break;
      await clock.sleep(LISTEN_POLL_MS);
    }
    throw new SvcError(
      "app_not_listening",
      `The app ${app.name} was started but accepts no connection on its port. Look at its logs, then start it again.`,
    );
  }

  async function removeServing(app: AppRef): Promise<void> {
    for (const container of await engine.list({ appId: app.id, role: "app" })) {
      if (container.state === "running") await drain(container, { proxy, clock, drainSeconds });
      await engine.stop(container.id, GRACE_SECONDS.app);
      await engine.remove(container.id);
    }
  }

  async function withoutRoutes(app: AppRef, work: () => Promise<void>): Promise<void> {
    removing.add(app.id);
    try {
      await proxy.setRoutes(app.id, []);
      await work();
    } finally {
      removing.delete(app.id);
    }
  }

  async function stopDatabase(app: AppRef): Promise<void> {
    for (const { id } of await engine.list({ appId: app.id, role: "database" })) {
      await engine.stop(id, GRACE_SECONDS.database);
    }
  }

  /** Tells whether the app has a database, which can't be started again without the network that it was made for. */
  async function hasDatabase(app: AppRef): Promise<boolean> {
    return (await engine.list({ appId: app.id, role: "database" })).length > 0;
  }

  async function removeAll(app: AppRef): Promise<void> {
    for (const { id } of await engine.list({ appId: app.id })) await engine.remove(id);
    await engine.removeNetwork(app);
    await engine.removeVolumes(app);
    for (const { deployId } of await engine.images(app.id)) await engine.removeImages(app.id, deployId);
  }

  async function stop(app: AppRef, container: ContainerState): Promise<void> {
    await answerStopped(app, container.id);
    if (container.state === "running") await drain(container, { proxy, clock, drainSeconds });
    await engine.stop(container.id, GRACE_SECONDS.app);
    log.info({ app: app.name }, "stopped an app");
  }

  return {
    async start(app, superseded) {
      const { id, state } = await containerOf(app);
      if (state !== "running") await requireMemory(app.name);
      await startDatabase(app, superseded);
      await startAndServe(app, id, superseded);
      log.info({ app: app.name }, "started an app");
    },
    async stop(app) {
      await stop(app, await containerOf(app));
    },
    async quiesce(app) {
      const routed = new Set((await routesOf(app)).map(({ containerId }) => containerId));
      const containers = await engine.list({ appId: app.id, role: "app" });
      const serving = containers.find(({ id }) => routed.has(id));
      if (serving) await stop(app, serving);
      for (const { id } of containers) if (id !== serving?.id) await engine.stop(id, GRACE_SECONDS.app);
    },
    async restart(app, superseded) {
      const { id, state } = await containerOf(app);
      if (state !== "running") await requireMemory(app.name);
      await startDatabase(app, superseded);
      await engine.stop(id, GRACE_SECONDS.app);
      await startAndServe(app, id, superseded);
      log.info({ app: app.name }, "restarted an app");
    },
    async setHosts(app, hosts, live) {
      const isLost = live !== undefined && (await routesOf(app)).length === 0;
      const found = isLost ? await findServing(engine, app, live) : undefined;
      await proxy.updateRoutes(app.id, ([routed]) => {
        // The containers of an app that is being removed are still there.
        const any = routed ?? (removing.has(app.id) ? undefined : found);
        if (!any) throw new SvcError("not_found", `The app ${app.name} is not served on this server; deploy it first.`);
        return routesTo({ ...any, ownerId: app.ownerId }, hosts);
      });
    },
    async setHostsOfUndeployed(app, hosts, signal) {
      await proxy.updateRoutes(app.id, ([any]) => {
        signal.throwIfAborted();
        const { ownerId } = app;
        return any ? routesTo({ ...any, ownerId }, hosts) : undeployedRoutes({ appId: app.id, ownerId }, hosts);
      });
    },
    async remove(app, purge, isCopy = false) {
      await withoutRoutes(app, () => removeServing(app));
      if (purge && !isCopy) await keepLastDump(app);
      await stopDatabase(app);
      if (purge) await removeAll(app);
      else if (!(await hasDatabase(app))) await engine.removeNetwork(app);
      log.info({ app: app.name, purge }, "removed an app");
    },
  };
}

function requireStillLeadingTo(containerId: string, routes: readonly Route[], app: AppRef): void {
  if (routes.every((route) => route.containerId === containerId)) return;
  throw new SvcError("deploy_in_progress", `A deploy of ${app.name} has switched to another container; try again.`);
}

/** Refuses to serve an app that exceeded a limit again before it answered once. */
function requireNotStopped(routes: readonly Route[]): void {
  const stop = routes.find(({ stoppedBy }) => stoppedBy)?.stoppedBy;
  if (stop) throw new SvcError("app_not_listening", stop.detail);
}
