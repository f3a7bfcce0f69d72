import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { leadsToContainer, upstreamsOf } from "./routes.ts";
import type { Proxy, Route } from "../ports.ts";
import type { UpstreamStates } from "./upstream-states.ts";

/** 500 apps make 170 connections a second: 2 % of a core. Health that is shown within 10 s leaves no more time. */
const LOOK_MS = 3_000;
/** The interval for upstreams that refused when they were asked last. */
const LOOK_AGAIN_MS = 1_000;
/**
 * The time that an upstream refuses before its hosts answer 503 at once. Until then requests wait in the proxy, so that
 * a container which is started again quickly loses none.
 */
const PATIENCE_MS = 5_000;
const PROBES_AT_A_TIME = 50;
/** An answer comes within a millisecond; one that is waited for must not keep the others waiting. */
const BATCH_MS_MAX = 250;

/** Errors that prove that nobody listens. An app that is only slow to accept stays served. */
const REFUSALS: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

interface Options {
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  upstreams: UpstreamStates;
  clock: Clock;
  log: Logger;
  patienceMs?: number;
}

/**
 * Tells the proxy which apps do not listen, so that their hosts answer 503 at once instead of after its retries, and
 * takes that back as soon as they do; resolves when the signal aborts.
 */
export async function watchUpstreams(options: Options, signal: AbortSignal): Promise<void> {
  const { proxy, upstreams, clock, log, patienceMs = PATIENCE_MS } = options;
  /** Upstream → since when it refuses. */
  const refusing = new Map<string, number>();
  let askAllAt = 0;

  async function look(): Promise<void> {
    const now = clock.now().getTime();
    const routes = (await proxy.routes()).filter(leadsToContainer);
    const byUpstream = new Map(routes.map((route) => [route.upstream, route]));
    for (const upstream of refusing.keys()) if (!byUpstream.has(upstream)) refusing.delete(upstream);
    upstreams.keepOnly(new Set(routes.flatMap(upstreamsOf)));
    const isDue = (upstream: string): boolean =>
      now >= askAllAt || !upstreams.isKnown(upstream) || upstreams.isFailing(upstream);
    const asked = [...byUpstream.values()].filter((route) => {
      const all = upstreamsOf(route);
      return !all.some((each) => upstreams.isAsked(each)) && (all.some(isDue) || route.state === "failing");
    });
    if (now >= askAllAt) askAllAt = now + LOOK_MS;
    for (let first = 0; first < asked.length; first += PROBES_AT_A_TIME) {
      const looks = asked.slice(first, first + PROBES_AT_A_TIME).map((route) => lookAt(route).catch(logFailure));
      await Promise.race([Promise.all(looks), clock.sleep(BATCH_MS_MAX, signal).catch(() => undefined)]);
    }
  }

  const logFailure = (err: unknown): void => log.debug({ err }, "the apps could not be looked at");

  async function lookAt(route: Route): Promise<void> {
    const { upstream } = route;
    const failures = await Promise.all(upstreamsOf(route).map((each) => upstreams.ask(each)));
    const isRefused = failures.every((failure) => failure !== undefined && REFUSALS.has(failure));
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

  await repeat({ everyMs: LOOK_AGAIN_MS, failing: "the apps can't be looked at", work: look, clock, log }, signal);
}
