import { SvcError } from "@svc/shared/errors.ts";
import { isHostName } from "@svc/shared/rules/host-name.ts";
import type { RoutedHost } from "../platform/hostname.ts";
import { readPlatformStop, type PlatformStop } from "./platform-stop.ts";

/** Host name → container. What the proxy serves is a table of these and nothing else. */
export interface Route {
  host: string;
  appId: string;
  /** Empty while it is `undeployed`. */
  containerId: string;
  /** address:port, IPv4: the networks that the platform makes for apps have no other. Empty while `undeployed`. */
  upstream: string;
  /** Where the copies of the container serve now, when an engine of several machines runs it: then none is at `upstream`. */
  copies?: readonly RouteCopy[];
  /**
   * `serving`, or a page says with 503 why not: `stopped` by its owner, `failing`: its container does not listen,
   * `undeployed`: no release of the app is live, so that there is none.
   */
  state: RouteState;
  /** The name's address does not lead here, so that no certificate is ordered for it. */
  pending?: true;
  /** The app's own subdomain; otherwise a custom domain. */
  subdomain?: true;
  /** Absent in tables of older agents: then the app counts as an owner of its own. */
  ownerId?: string;
  /** Why the agent itself has stopped the app; only while it is `stopped`. */
  stoppedBy?: PlatformStop;
}

/** A copy of a container that gets requests. */
export interface RouteCopy {
  id: string;
  address: string;
}

/** Where a route leads. */
export type RouteTarget = Pick<Route, "containerId" | "upstream" | "copies">;

/** A container, as far as a route needs it. */
interface Serving {
  id: string;
  address: string;
  port: number;
  copies?: { now: readonly { id: string; address: string; state: string }[] } | undefined;
}

/** In the place of an address: a container of several copies has none while none of them runs. */
const NOWHERE = "0.0.0.0";

/** What leads to a container. */
export function targetOf({ id: containerId, address, port, copies }: Serving): RouteTarget {
  const running = copies?.now.filter((copy) => copy.state === "running" && copy.address !== "");
  return {
    containerId,
    upstream: `${copies && address === "" ? NOWHERE : address}:${port}`,
    ...(running && { copies: running.map(({ id, address: at }) => ({ id, address: at })) }),
  };
}

/** Each `address:port` where what a route leads to takes connections. */
export function upstreamsOf({ upstream, copies }: Pick<Route, "upstream" | "copies">): string[] {
  if (copies === undefined) return [upstream];
  const port = parseUpstream(upstream)?.port ?? 0;
  return copies.map(({ address }) => `${address}:${port}`);
}

/** Routes of the hosts to where one route, or something like it, leads. */
export function routesTo(
  { appId, ownerId, containerId, upstream, copies, state, stoppedBy }: Omit<Route, "host" | "pending" | "subdomain">,
  hosts: readonly RoutedHost[],
): Route[] {
  const owner = ownerId !== undefined && { ownerId };
  const to = {
    appId,
    ...owner,
    containerId,
    upstream,
    ...(copies && { copies }),
    state,
    ...(stoppedBy && { stoppedBy }),
  };
  return hosts.map(({ host, pending, subdomain }) => ({
    host,
    ...to,
    ...(pending && { pending }),
    ...(subdomain && { subdomain }),
  }));
}

const STATES = ["serving", "stopped", "failing", "undeployed"] as const;
export type RouteState = (typeof STATES)[number];

/** The route as if the agent had never stopped the app. */
export function withoutStop(route: Route): Route {
  const kept = { ...route };
  delete kept.stoppedBy;
  return kept;
}

/** Routes of an app that nothing can serve yet. */
export function undeployedRoutes(
  { appId, ownerId }: Pick<Route, "appId" | "ownerId">,
  hosts: readonly RoutedHost[],
): Route[] {
  return routesTo(
    { appId, ...(ownerId !== undefined && { ownerId }), containerId: "", upstream: "", state: "undeployed" },
    hosts,
  );
}

/** Whether there should be a container that listens. */
export function leadsToContainer({ state }: Route): boolean {
  return state === "serving" || state === "failing";
}

/** Where the name server answers: `<host>.up.internal` has the SRV record of the host's upstream. */
export const UPSTREAM_ZONE = "up.internal";

/**
 * How long the proxy keeps an upstream that it has looked up, in milliseconds; chosen by measurement
 * (control-plane/decisions/010). An old container is not stopped before.
 */
export const UPSTREAM_CACHE_MS = 100;

/** Bytes of a route table that is still read: 10,000 routes are about 2 MB. */
export const ROUTE_TABLE_BYTES_MAX = 16 * 1024 * 1024;

/** @throws SvcError invalid_request naming the first field that can't be served. */
function assertRoute(route: Route): void {
  const refuse = (field: string, allowed: string): never => {
    throw new SvcError("invalid_request", `The route's ${field} must be ${allowed}.`);
  };
  if (!isHostName(route.host)) {
    refuse(`host ${JSON.stringify(route.host)}`, "a lower-case host name (RFC 1123) of at most 241 characters");
  }
  if (route.appId === "") refuse("app id", "the id of an app");
  if (!isRouteState(route.state)) refuse("state", `one of ${STATES.join(", ")}`);
  if (route.state === "undeployed") {
    if (route.containerId !== "" || route.upstream !== "") refuse("container", "none while it is undeployed");
    return;
  }
  if (route.containerId === "") refuse("container id", "the id of a container");
  if (parseUpstream(route.upstream) === undefined) {
    refuse(`upstream ${JSON.stringify(route.upstream)}`, "an IPv4 address and a port, such as 10.200.0.2:3000");
  }
  if (upstreamsOf(route).some((upstream) => parseUpstream(upstream) === undefined)) {
    refuse("copies", "each at an IPv4 address");
  }
}

/** The upstream's two parts; undefined unless it is `IPv4:port`. */
export function parseUpstream(upstream: string): { address: string; port: number } | undefined {
  const match = /^((?:[0-9]{1,3}\.){3}[0-9]{1,3}):([1-9][0-9]{0,4})$/.exec(upstream);
  const port = Number(match?.[2]);
  if (!match || port > 65535 || match[1]!.split(".").some((part) => Number(part) > 255)) return undefined;
  return { address: match[1]!, port };
}

/**
 * The table with all of the app's routes replaced. A host of another app that was never deployed is taken over: the
 * control plane gave it away.
 * @throws SvcError invalid_request for a route that can't be served, is not the app's, or whose host is another app's
 */
export function withRoutesOfApp(table: readonly Route[], appId: string, routes: readonly Route[]): Route[] {
  const wanted = new Set(routes.map(({ host }) => host));
  const others = table.filter(
    ({ appId: owner, host, state }) => owner !== appId && !(state === "undeployed" && wanted.has(host)),
  );
  const taken = new Set(others.map((route) => route.host));
  for (const route of routes) {
    assertRoute(route);
    if (route.appId !== appId) throw new SvcError("invalid_request", `The route of ${route.host} is another app's.`);
    if (taken.has(route.host)) {
      throw new SvcError(
        "invalid_request",
        `${route.host} already leads to another app or is named twice. Take it from the other app first.`,
      );
    }
    taken.add(route.host);
  }
  return [...others, ...routes];
}

export function serializeRoutes(routes: readonly Route[]): string {
  return `${JSON.stringify({ routes }, undefined, 1)}\n`;
}

/** @throws Error that says what is wrong with the text: half-written or edited by hand. */
export function parseRoutes(text: string): Route[] {
  const value: unknown = JSON.parse(text);
  const entries = isRecord(value) ? value["routes"] : undefined;
  if (!Array.isArray(entries)) throw new Error("it has no list of routes");
  const hosts = new Set<string>();
  return entries.map((entry: unknown) => {
    const route = toRoute(entry);
    assertRoute(route);
    if (hosts.has(route.host)) throw new Error(`it names ${route.host} twice`);
    hosts.add(route.host);
    return route;
  });
}

function isRouteState(value: string): value is RouteState {
  return STATES.some((state) => state === value);
}

function toRoute(entry: unknown): Route {
  const fields = isRecord(entry) ? entry : {};
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value !== "string") throw new Error(`a route has no ${name}`);
    return value;
  };
  const state = text("state");
  const stoppedBy = readPlatformStop(fields["stoppedBy"]);
  if (!isRouteState(state)) throw new Error(`${JSON.stringify(state)} is no state of a route`);
  return {
    host: text("host"),
    appId: text("appId"),
    containerId: text("containerId"),
    upstream: text("upstream"),
    state,
    ...(fields["copies"] !== undefined && { copies: toCopies(fields["copies"]) }),
    ...(fields["pending"] === true && { pending: true }),
    ...(fields["subdomain"] === true && { subdomain: true }),
    ...(fields["ownerId"] !== undefined && { ownerId: text("ownerId") }),
    ...(state === "stopped" && stoppedBy && { stoppedBy }),
  };
}

function toCopies(value: unknown): RouteCopy[] {
  if (!Array.isArray(value)) throw new Error("the copies of a route are no list");
  return value.map((entry: unknown) => {
    const { id, address } = isRecord(entry) ? entry : {};
    if (typeof id !== "string" || typeof address !== "string")
      throw new Error("a copy of a route has no id or address");
    return { id, address };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The A name of a container: one per container and address, so that the proxy never reuses a connection to another
 * container that had the address before. It holds the address, so that it still resolves after the route is gone.
 */
export function containerDnsName(containerId: string, address: string): string {
  const id = containerId.toLowerCase().replace(/[^a-z0-9]/g, "");
  return `c${id.slice(0, 12)}.${address.replaceAll(".", "-")}.${UPSTREAM_ZONE}`;
}

/** The address in a name that `containerDnsName` made. */
export function addressOfContainerDnsName(name: string): string | undefined {
  const match = /^c[a-z0-9]{0,12}\.([0-9]{1,3}(?:-[0-9]{1,3}){3})\.up\.internal$/.exec(name);
  return match?.[1]!.replaceAll("-", ".");
}

/** `name:port` as the proxy dials it, without what it may add: a network in front, the root's dot behind the name. */
export function normalizeDialAddress(address: string): string {
  return address.replace(/^tcp\//, "").replace(/\.:/, ":");
}

/** A name with its port: the proxy dials it. */
export interface DialTarget {
  name: string;
  port: number;
}

/** Where the proxy dials what a route leads to: each copy has a name of its own. */
export function dialTargetsOf({ containerId, upstream, copies }: RouteTarget): DialTarget[] {
  const at = parseUpstream(upstream);
  if (!at) throw new Error(`${upstream} is no upstream`);
  const places = copies ?? [{ id: containerId, address: at.address }];
  return places.map(({ id, address }) => ({ name: containerDnsName(id, address), port: at.port }));
}

/** The upstream in a dialled `name:port`; undefined when the name is no container's. */
export function upstreamOfDialAddress(dialAddress: string): string | undefined {
  const [name, port] = normalizeDialAddress(dialAddress).split(":");
  const address = addressOfContainerDnsName(name ?? "");
  return address === undefined || port === undefined ? undefined : `${address}:${port}`;
}
