import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { AccessEntry } from "./access-entry.ts";
import type { Proxy } from "../../ports.ts";
import type { AccessObserver } from "./keep-access-logs.ts";

/** The buckets reach from an answer out of memory to the slow requests that a drain waits for. */
const SECONDS_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

/**
 * Requests of each app, as the proxy has answered them, by the app's id: it never changes, and a name may be taken by
 * another app. Counted from the agent's start on.
 */
export class AccessMetrics implements AccessObserver {
  readonly #requests: Counter<"app_id" | "status">;
  readonly #seconds: Histogram<"app_id">;

  constructor(registry: Registry, proxy: Pick<Proxy, "routes" | "allRequestsInFlight">) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "svc_app_requests_total",
      help: "Requests that were answered for the app's hosts, by the class of their status",
      labelNames: ["app_id", "status"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "svc_app_request_seconds",
      help: "Time until the whole answer was sent",
      labelNames: ["app_id"],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    registry.registerMetric(inFlightGauge(proxy));
  }

  requestAnswered(appId: string, { status, seconds }: AccessEntry): void {
    this.#requests.inc({ app_id: appId, status: `${Math.floor(status / 100)}xx` });
    this.#seconds.observe({ app_id: appId }, seconds);
  }

  /** The app was purged: its series end. */
  forget(appId: string): void {
    for (const status of ["1xx", "2xx", "3xx", "4xx", "5xx"]) this.#requests.remove({ app_id: appId, status });
    this.#seconds.remove({ app_id: appId });
  }
}

/** Asks the proxy when somebody reads; without any value while it does not answer. */
function inFlightGauge(proxy: Pick<Proxy, "routes" | "allRequestsInFlight">): Gauge<"app_id"> {
  return new Gauge({
    name: "svc_app_requests_in_flight",
    help: "Requests that are open to the app's container",
    labelNames: ["app_id"],
    registers: [],
    async collect() {
      this.reset();
      try {
        const [routes, open] = await Promise.all([proxy.routes(), proxy.allRequestsInFlight()]);
        const apps = new Map(routes.map(({ appId, upstream }) => [appId, upstream]));
        for (const [appId, upstream] of apps) this.set({ app_id: appId }, open.get(upstream) ?? 0);
      } catch {
        // The proxy is away: /readyz says so.
      }
    },
  });
}
