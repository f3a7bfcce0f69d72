import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { leadsToContainer, targetOf, type Route, type RouteCopy } from "./routes.ts";
import type { ContainerState, Engine, Proxy } from "../ports.ts";
import { probeTcp } from "../platform/tcp-probe.ts";

/** An old copy is told to end about 1.5 s after the engine has said so: requests go elsewhere long before. */
const LOOK_MS = 300;
/** A copy on another machine answers within some milliseconds. */
const PROBE_MS_MAX = 1_000;
/** A copy that serves is asked so often: health that is shown within 10 s leaves no more time. */
const ASK_MS = 1_500;
/** One silence may be chance. */
const SILENCES_MAX = 2;

interface Options {
  engine: Pick<Engine, "list">;
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  clock: Clock;
  log: Logger;
  probe?: typeof probeTcp;
}

interface CopyHealth {
  accepts: boolean;
  silences: number;
  askedAt: number;
}

/**
 * Leads routes to the copies of their containers that run and accept connections, as these come and go; resolves when the
 * signal aborts. A new copy gets its first request when it listens. Where none listens, the routes stay.
 */
export async function keepCopies(options: Options, signal: AbortSignal): Promise<void> {
  const { engine, proxy, clock, log, probe = probeTcp } = options;
  let health = new Map<string, CopyHealth>();

  async function look(): Promise<void> {
    const leading = (await proxy.routes()).filter(({ copies, ...route }) => copies && leadsToContainer(route));
    if (leading.length === 0) return;
    const containers = new Map((await engine.list({ role: "app" })).map((container) => [container.id, container]));
    const known = health;
    health = new Map();
    const byContainer = [...new Map(leading.map((route) => [route.containerId, route])).values()];
    await Promise.all(byContainer.map((route) => follow(route, containers.get(route.containerId), known)));
  }

  async function follow(route: Route, container: ContainerState | undefined, known: Map<string, CopyHealth>) {
    if (!container) return;
    const { copies = [] } = targetOf(container);
    const asked = await Promise.all(
      copies.map(async (copy) => ({ copy, ok: await accepts(copy, container.port, known) })),
    );
    const serving = asked.filter(({ ok }) => ok).map(({ copy }) => copy);
    if (serving.length === 0 || keyOf(serving) === keyOf(route.copies ?? [])) return;
    const { appId, containerId } = route;
    const lead = (each: Route): Route => (each.containerId === containerId ? { ...each, copies: serving } : each);
    await proxy.updateRoutes(appId, (current) => current.map(lead));
    log.info({ app: container.appName, container: containerId, copies: serving }, "the app's copies have changed");
  }

  async function accepts({ id, address }: RouteCopy, port: number, known: Map<string, CopyHealth>): Promise<boolean> {
    const before = known.get(id);
    const now = clock.now().getTime();
    const isDue = !before?.accepts || before.silences > 0 || now - before.askedAt >= ASK_MS;
    if (before && !isDue) {
      health.set(id, before);
      return before.accepts;
    }
    const failure = await probe(address, port, PROBE_MS_MAX);
    const silences = failure === undefined ? 0 : (before?.silences ?? 0) + 1;
    const isServing = failure === undefined || (before?.accepts === true && silences < SILENCES_MAX);
    health.set(id, { accepts: isServing, silences, askedAt: now });
    return isServing;
  }

  await repeat({ everyMs: LOOK_MS, failing: "the copies of apps can't be followed", work: look, clock, log }, signal);
}

function keyOf(copies: readonly RouteCopy[]): string {
  return copies
    .map(({ id, address }) => `${id} ${address}`)
    .toSorted()
    .join(",");
}
