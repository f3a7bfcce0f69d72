/** How many certificates a host orders for new names within an hour, and who may have how many of them (decision 017). */

/** The app and the user that ask for a certificate. */
export interface Applicant {
  host: string;
  ownerId: string;
  /** True for an app's own subdomain, false for a custom domain. */
  isSubdomain: boolean;
}

/** A permission that was given. */
export interface Order {
  /** Milliseconds since the epoch. */
  at: number;
  ownerId: string;
  isSubdomain: boolean;
}

/** Why an order has to wait, and until when. */
export interface Wait {
  /** When it may be asked again with success. */
  at: number;
  reason: string;
  /** Nothing has failed: a budget is used up. */
  isBudget: boolean;
}

const HOUR_MS = 3_600_000;

/** Let's Encrypt allows an account 300 new orders in 3 hours; the other half is for renewals and other servers. */
export const ORDERS_PER_HOUR_MAX = 50;
/** Anybody has any number of names to attach; the other 20 are kept for the apps' own subdomains. */
export const CUSTOM_ORDERS_PER_HOUR_MAX = 30;
/** A fifth of those: four others still find their share when one has used up theirs. */
export const CUSTOM_ORDERS_OF_OWNER_MAX = 6;
/** A team's apps move to another host within some hours; with all of it, one owner leaves more than half to others. */
export const SUBDOMAIN_ORDERS_OF_OWNER_MAX = 15;

/** A budget that the order would count against. */
interface Budget {
  max: number;
  counts(order: Order): boolean;
  /** The owner, as the end of a sentence. */
  of: string;
}

function budgetsOf({ ownerId, isSubdomain }: Applicant): Budget[] {
  const kind = isSubdomain ? "subdomains of apps" : "custom domains";
  const all = { max: ORDERS_PER_HOUR_MAX, counts: () => true, of: "of this server" };
  const customs = {
    max: CUSTOM_ORDERS_PER_HOUR_MAX,
    counts: (order: Order) => !order.isSubdomain,
    of: "of all custom domains on this server",
  };
  const owners = {
    max: isSubdomain ? SUBDOMAIN_ORDERS_OF_OWNER_MAX : CUSTOM_ORDERS_OF_OWNER_MAX,
    counts: (order: Order) => order.isSubdomain === isSubdomain && order.ownerId === ownerId,
    of: `of one owner for ${kind}`,
  };
  return isSubdomain ? [all, owners] : [all, customs, owners];
}

/** The longest wait for a budget that is used up; undefined when none is. */
export function waitForBudget(orders: readonly Order[], applicant: Applicant, now: number): Wait | undefined {
  const recent = withinTheHour(orders, now);
  const waits = budgetsOf(applicant).flatMap(({ max, counts, of }) => {
    const counted = recent.filter(counts);
    if (counted.length < max) return [];
    const reason = `the share ${of}, ${max} certificates an hour, is used up`;
    return [{ at: counted.at(-max)!.at + HOUR_MS, reason, isBudget: true }];
  });
  return waits.toSorted((a, b) => b.at - a.at)[0];
}

export function withinTheHour(orders: readonly Order[], now: number): Order[] {
  return orders.filter(({ at }) => now - at < HOUR_MS);
}
