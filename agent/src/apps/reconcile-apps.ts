import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { AppTurns } from "./app-turns.ts";
import { containersToStart, type Observed } from "./containers-to-start.ts";
import { containersToStop } from "./containers-to-stop.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { leadsToContainer } from "../edge/routes.ts";
import { inParallel } from "../platform/in-parallel.ts";
import type { ContainerFilter, ContainerState, Engine, Proxy, Route } from "../ports.ts";
import { untilPostgresReady, type ReadyWait } from "../database/until-ready.ts";

/**
 * This is enough to keep two cores busy while some wait for the disk, and few enough that the engine answers others
 * meanwhile.
 */
const STARTS_AT_A_TIME = 4;

/** Most recoveries after a kill are shorter. An app that meets a longer one ends, and the engine starts it again. */
const DATABASE_MS_MAX = 5_000;

export interface ReconcilerOptions {
  engine: Pick<Engine, "list" | "start" | "stop">;
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  turns: AppTurns;
  clock: Clock;
  log: Logger;
  /** Whether a step of a deploy works on the app. */
  isDeploying?: (appId: string) => boolean;
  /** Containers that the agent is stopping, and whose routes do not say so yet. */
  heldBack?: ReadonlySet<string>;
  isReady?: ReadyWait["isReady"];
}

/**
 * Compares what should run with what runs: stops the apps whose routes say so, starts databases, then apps, then leads
 * the routes to where the containers are. A route without its container stays as it is, and is reported: only a deploy or the app's removal may take a host
 * away. What fails for one app is logged, for as long as it lasts once, and keeps no other app down.
 * @returns whether all of it is done
 * @throws SvcError engine_unavailable, proxy_unavailable
 */
export type Reconcile = () => Promise<boolean>;

export function createReconciler(options: ReconcilerOptions): Reconcile {
  const { engine, proxy, turns, clock, log, isReady } = options;
  const { isDeploying = () => false, heldBack = new Set<string>() } = options;
  /** Holds what the last look has told. */
  let told: ReadonlySet<string> = new Set();

  async function observe(filter: ContainerFilter = {}): Promise<Observed> {
    const [containers, routes] = [await engine.list(filter), await proxy.routes()];
    return { containers, routes, isDeploying, heldBack };
  }

  async function startAgain({ id, appId, appName, role }: ContainerState): Promise<void> {
    await turns.takeUnlessAsked(appId, async () => {
      const { databases, apps } = containersToStart(await observe({ appId }));
      if (![...databases, ...apps].some((container) => container.id === id)) return;
      log.warn({ app: appName, container: id, role }, "starting a container that should run");
      await engine.start(id);
    });
  }

  async function stopAgain({ id, appId, appName }: ContainerState): Promise<void> {
    await turns.takeUnlessAsked(appId, async () => {
      if (!containersToStop(await observe({ appId })).some((container) => container.id === id)) return;
      log.warn({ app: appName, container: id }, "stopping a container of a stopped app");
      await engine.stop(id, GRACE_SECONDS.app);
    });
  }

  return async () => {
    const toldBefore = told;
    const tellingNow = new Set<string>();
    told = tellingNow;
    const failures: unknown[] = [];

    function tell(subject: string, facts: object, message: string): void {
      if (!toldBefore.has(subject)) log.error(facts, message);
      tellingNow.add(subject);
    }

    async function attempt(appId: string, work: () => Promise<void>): Promise<void> {
      try {
        await work();
      } catch (err) {
        failures.push(err);
        tell(appId, { err, appId }, "an app is not served as it should be; this is tried again");
      }
    }

    const stop = (container: ContainerState) => attempt(container.appId, () => stopAgain(container));
    const start = (container: ContainerState) => attempt(container.appId, () => startAgain(container));
    const observed = await observe();
    const { databases, apps } = containersToStart(observed);
    // Nothing that has to start waits for the grace of one that ends.
    const stopped = inParallel(containersToStop(observed), STARTS_AT_A_TIME, stop);
    await inParallel(databases, STARTS_AT_A_TIME, start);
    const ready = new Map(
      databases.map((each) => [each.appId, untilPostgresReady(each, { msMax: DATABASE_MS_MAX, clock, isReady })]),
    );
    const withoutWaitFirst = apps.toSorted((a, b) => Number(ready.has(a.appId)) - Number(ready.has(b.appId)));
    await inParallel(withoutWaitFirst, STARTS_AT_A_TIME, async (container) => {
      await ready.get(container.appId);
      await start(container);
    });
    await stopped;

    const containers = new Map(observed.containers.map((container) => [container.id, container]));
    const leading = observed.routes.filter(leadsToContainer);
    for (const [appId, routes] of Map.groupBy(leading, (route) => route.appId)) {
      const lost = routes.filter(({ containerId }) => !containers.has(containerId)).map(({ host }) => host);
      if (lost.length > 0) {
        tell(`${appId} lost`, { appId, hosts: lost }, "these hosts lead to a container that is gone: deploy again");
      }
      if (routes.every((route) => withAddressOf(containers, route).upstream === route.upstream)) continue;
      await attempt(appId, () =>
        proxy.updateRoutes(appId, (current) => current.map((route) => withAddressOf(containers, route))),
      );
    }
    const away = failures.find((error) => error instanceof SvcError && error.code === "engine_unavailable");
    if (away !== undefined) throw away;
    return failures.length === 0;
  };
}

/**
 * A route that a deploy has switched since is not among those looked at, and stays; so does one without an address, or
 * to copies, which are followed by themselves.
 */
function withAddressOf(containers: ReadonlyMap<string, ContainerState>, route: Route): Route {
  const container = containers.get(route.containerId);
  if (!container || container.address === "" || container.copies) return route;
  return { ...route, upstream: `${container.address}:${container.port}` };
}
