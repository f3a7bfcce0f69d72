import type { Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import { leadsToContainer, parseUpstream } from "./domain/routes.ts";
import type { Proxy, Route } from "./ports.ts";
import { probeTcp } from "./tcp-probe.ts";

/** 500 apps make a hundred connections a second: 1 % of a core. */
const LOOK_MS = 5_000;
/** Of those that refused when they were asked last. */
const LOOK_AGAIN_MS = 1_000;
/**
 * So long an upstream refuses before its hosts answer 503 at once. Until then requests wait in the proxy, so that a
 * container which is started again quickly loses none.
 */
const PATIENCE_MS = 5_000;
/** The kernel needs 3 s to say that nobody has an address (EHOSTUNREACH). */
const PROBE_MS_MAX = 4_000;
const PROBES_AT_A_TIME = 50;

/** What says for certain that nobody listens. An app that is only slow to accept stays served. */
const REFUSALS: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

interface Options {
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  clock: Clock;
  log: Logger;
  patienceMs?: number;
}

/**
 * Tells the proxy which apps do not listen, so that their hosts answer 503 at once instead of after its retries, and
 * takes that back as soon as they do; resolves when the signal aborts.
 */
export async function watchUpstreams(options: Options, signal: AbortSignal): Promise<void> {
  const { proxy, clock, log, patienceMs = PATIENCE_MS } = options;
  /** Upstream → since when it refuses. */
  const refusing = new Map<string, number>();
  let askAllAt = 0;

  async function look(): Promise<void> {
    const now = clock.now().getTime();
    const routes = (await proxy.routes()).filter(leadsToContainer);
    const byUpstream = new Map(routes.map((route) => [route.upstream, route]));
    for (const upstream of refusing.keys()) if (!byUpstream.has(upstream)) refusing.delete(upstream);
    const asked = [...byUpstream].filter(
      ([upstream, { state }]) => now >= askAllAt || state === "failing" || refusing.has(upstream),
    );
    if (now >= askAllAt) askAllAt = now + LOOK_MS;
    for (let first = 0; first < asked.length; first += PROBES_AT_A_TIME) {
      await Promise.all(asked.slice(first, first + PROBES_AT_A_TIME).map(([, route]) => lookAt(route)));
    }
  }

  async function lookAt(route: Route): Promise<void> {
    const { upstream } = route;
    const isRefused = await refuses(upstream);
    const now = clock.now().getTime();
    if (!isRefused) {
      refusing.delete(upstream);
      if (route.state === "failing") await change(route, "serving");
      return;
    }
    const since = refusing.get(upstream) ?? now;
    refusing.set(upstream, since);
    if (route.state === "serving" && now - since >= patienceMs) await change(route, "failing");
  }

  /** Only where the app is still led there: a deploy, or a stop, may have come between. */
  async function change(
    { appId, containerId, upstream, state: from }: Route,
    to: "serving" | "failing",
  ): Promise<void> {
    await proxy.updateRoutes(appId, (current) =>
      current.map((route) =>
        route.containerId === containerId && route.upstream === upstream && route.state === from
          ? { ...route, state: to }
          : route,
      ),
    );
    log.warn({ appId, upstream, state: to }, to === "failing" ? "an app does not listen" : "an app listens again");
  }

  while (!signal.aborted) {
    await look().catch((err: unknown) => log.debug({ err }, "the apps could not be looked at"));
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined);
  }
}

async function refuses(upstream: string): Promise<boolean> {
  const parts = parseUpstream(upstream);
  if (!parts) return false;
  const reason = await probeTcp(parts.address, parts.port, PROBE_MS_MAX);
  return reason !== undefined && REFUSALS.has(reason);
}
