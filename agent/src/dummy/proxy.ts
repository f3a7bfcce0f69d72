import { SvcError } from "@svc/shared/errors.ts";
import { withRoutesOfApp } from "../edge/routes.ts";
import type { Proxy, Route } from "../ports.ts";

/** How the twin fails; all off at first. */
export interface DummyProxyKnobs {
  /** Every call but `describe` fails with this sentence. */
  unavailable: string | undefined;
  /** Hosts whose requests never reach the new container. */
  unprovable: Set<string>;
  /** Open requests per upstream. */
  inFlight: Map<string, number>;
}

export interface DummyProxy extends Proxy {
  knobs: DummyProxyKnobs;
  /** The app's routes at each switch, oldest first. */
  switches: { appId: string; routes: readonly Route[] }[];
}

/** The Proxy port in memory: the same rules for routes, no processes. */
export function createDummyProxy(): DummyProxy {
  const knobs: DummyProxyKnobs = { unavailable: undefined, unprovable: new Set(), inFlight: new Map() };
  const switches: DummyProxy["switches"] = [];
  let table: Route[] = [];

  const requireAvailable = (): void => {
    if (knobs.unavailable !== undefined) throw new SvcError("proxy_unavailable", knobs.unavailable);
  };

  function switchTo(appId: string, routes: readonly Route[]): void {
    table = withRoutesOfApp(table, appId, structuredClone(routes));
    switches.push({ appId, routes: structuredClone(routes) });
  }

  return {
    knobs,
    switches,
    async ensureRunning() {
      requireAvailable();
    },
    async describe() {
      return { reachable: knobs.unavailable === undefined, version: "0.0.0", internalCaPem: "" };
    },
    async routes() {
      requireAvailable();
      return structuredClone(table);
    },
    async setRoutes(appId, routes) {
      requireAvailable();
      switchTo(appId, routes);
    },
    async updateRoutes(appId, next) {
      requireAvailable();
      switchTo(appId, next(structuredClone(table.filter((route) => route.appId === appId))));
    },
    async prove(host, upstream, signal) {
      requireAvailable();
      signal.throwIfAborted();
      const route = table.find((candidate) => candidate.host === host);
      if (route?.upstream === upstream && route.state === "serving" && !knobs.unprovable.has(host)) return;
      throw new SvcError("route_not_proven", `https://${host} did not reach ${upstream} through the proxy.`);
    },
    async setCertificatePolicy() {
      requireAvailable();
    },
    async certificate() {
      requireAvailable();
      return { notAfter: undefined, failure: "", usedUp: "", nextOrderAt: undefined };
    },
    async requestsInFlight(upstream) {
      requireAvailable();
      return knobs.inFlight.get(upstream) ?? 0;
    },
    async allRequestsInFlight() {
      requireAvailable();
      return new Map(knobs.inFlight);
    },
  };
}
