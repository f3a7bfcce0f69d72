import { waitForBudget, withinTheHour, type Applicant, type Order, type Wait } from "./issuance-budget.ts";

/**
 * When the proxy may order a certificate. An authority counts failed orders, and locks the account when there are too
 * many: so every failure makes the next permission wait, for the name, and for all names when the authority itself is
 * in trouble. What may be ordered within an hour is shared out among owners (issuance-budget.ts).
 */

/** Results of the orders at one authority. Times in milliseconds since the epoch. */
export interface Issuance {
  /** The authority's folder (`authorityFolder`). */
  authority: string;
  /** Names without a certificate that were tried. */
  hosts: Readonly<Record<string, HostIssuance>>;
  /** When permission for a new order was given, in the last hour. */
  orders: readonly Order[];
  /** The authority itself failed: it was away, or refuses orders for now. */
  trouble: Failure | undefined;
}

export interface HostIssuance {
  orderedAt: number;
  failure: Failure | undefined;
}

export interface Failure {
  /** The number of failures in a row. */
  count: number;
  at: number;
  /** The answer of the authority, or of the connection to it. */
  reason: string;
}

export interface Permission extends Wait {
  permitted: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The pauses after the first, second … failure. With a permission the proxy tries twice, a minute apart, so that two
 * failures come of it when the second try has no better luck.
 */
const BACKOFF_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/** The authority serves everybody again at once when it is back, so the wait stays short. */
const TROUBLE_BACKOFF_MS = [MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS];
/** The proxy gives an order of its own up after that time; until then, further handshakes wait for the same order. */
const ORDER_MS_MAX = 90_000;
/** Names that are remembered: some days of failing ones at the rate above. */
const HOSTS_MAX = 2_000;
const REASON_LENGTH_MAX = 1_000;

export function emptyIssuance(authority: string): Issuance {
  return { authority, hosts: {}, orders: [], trouble: undefined };
}

/** Whether a certificate may be ordered for a name that has none. */
export function permissionFor(issuance: Issuance, applicant: Applicant, now: number): Permission {
  const { host } = applicant;
  const granted: Permission = { permitted: true, isBudget: false, reason: "", at: now };
  const known = Object.hasOwn(issuance.hosts, host) ? issuance.hosts[host] : undefined;
  if (known && !hasFailedSince(known) && now - known.orderedAt < ORDER_MS_MAX) {
    return granted;
  }
  const waits = [
    waitFor(known?.failure, BACKOFF_MS),
    waitFor(issuance.trouble, TROUBLE_BACKOFF_MS),
    waitForBudget(issuance.orders, applicant, now),
  ].filter((wait) => wait !== undefined);
  const longest = waits.toSorted((a, b) => b.at - a.at)[0];
  if (longest === undefined || longest.at <= now) return granted;
  return { permitted: false, ...longest };
}

function hasFailedSince({ orderedAt, failure }: HostIssuance): boolean {
  return failure !== undefined && failure.at >= orderedAt;
}

function waitFor(failure: Failure | undefined, steps: readonly number[]): Wait | undefined {
  if (!failure) return undefined;
  const at = failure.at + steps[Math.min(failure.count, steps.length) - 1]!;
  return { at, reason: failure.reason, isBudget: false };
}

/** Permission was given: an order begins, unless one for the name goes on already. */
export function withOrder(issuance: Issuance, { host, ownerId, isSubdomain }: Applicant, now: number): Issuance {
  const known = Object.hasOwn(issuance.hosts, host) ? issuance.hosts[host] : undefined;
  if (known && !hasFailedSince(known) && now - known.orderedAt < ORDER_MS_MAX) return issuance;
  return {
    ...issuance,
    hosts: newest({ ...issuance.hosts, [host]: { orderedAt: now, failure: known?.failure } }),
    orders: [...withinTheHour(issuance.orders, now), { at: now, ownerId, isSubdomain }],
  };
}

/** An order failed; `reason` as the proxy reports it. */
export function withFailure(issuance: Issuance, host: string, reason: string, now: number): Issuance {
  const known = Object.hasOwn(issuance.hosts, host) ? issuance.hosts[host] : undefined;
  const next = (former: Failure | undefined): Failure => ({
    count: (former?.count ?? 0) + 1,
    at: now,
    reason: reason.slice(0, REASON_LENGTH_MAX),
  });
  const failed = { orderedAt: known?.orderedAt ?? now, failure: next(known?.failure) };
  return {
    ...issuance,
    hosts: newest({ ...issuance.hosts, [host]: failed }),
    trouble: isTroubleOfAuthority(reason) ? next(issuance.trouble) : undefined,
  };
}

/** A certificate arrived: the name is not new any more, and the authority works. */
export function withCertificate(issuance: Issuance, host: string): Issuance {
  const { [host]: _, ...hosts } = issuance.hosts;
  return { ...issuance, hosts, trouble: undefined };
}

/**
 * A refusal that is about the name carries an ACME problem that says so; a limit, an error of the server's own, or no
 * answer at all would meet the next name as well (RFC 8555, 6.7).
 */
function isTroubleOfAuthority(reason: string): boolean {
  const problem = /urn:ietf:params:acme:error:(\w+)/.exec(reason)?.[1];
  if (problem === "rateLimited") return !LIMIT_OF_A_NAME.test(reason);
  return problem === undefined || problem === "serverInternal";
}

/** Let's Encrypt's limits per name and per domain, in its words: one broken domain must not hold up all others. */
const LIMIT_OF_A_NAME = /failed (authorizations|validations)|certificates .*already issued/i;

function newest(hosts: Record<string, HostIssuance>): Record<string, HostIssuance> {
  const entries = Object.entries(hosts);
  if (entries.length <= HOSTS_MAX) return hosts;
  return Object.fromEntries(entries.toSorted(([, a], [, b]) => b.orderedAt - a.orderedAt).slice(0, HOSTS_MAX));
}
