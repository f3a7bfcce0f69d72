import { SvcError } from "@svc/shared/errors.ts";
import { HOST_NAME_LENGTH_MAX, isHostName } from "@svc/shared/rules/host-name.ts";

/** A subdomain and the custom domains of one app; more would be a mistake of the caller. */
const HOSTS_MAX = 200;

export interface RoutedHost {
  host: string;
  /** Its address does not lead here, so that no certificate is ordered for it. */
  pending?: true;
  /** It is the app's own subdomain. */
  subdomain?: true;
}

/**
 * The hosts of one app, each once.
 * @param pendingHosts some of them
 * @param subdomain one of them, or empty
 * @throws SvcError invalid_request
 */
export function requireRoutedHosts({
  hosts,
  pendingHosts,
  subdomain,
}: {
  hosts: readonly string[];
  pendingHosts: readonly string[];
  subdomain: string;
}): RoutedHost[] {
  const isPending = new Set(pendingHosts);
  return requireHostNames(hosts).map((host) => {
    const routed: RoutedHost = { host };
    if (isPending.has(host)) routed.pending = true;
    if (host === subdomain) routed.subdomain = true;
    return routed;
  });
}

/** The hosts of one app, each once. @throws SvcError invalid_request */
export function requireHostNames(hosts: readonly string[]): string[] {
  const distinct = [...new Set(hosts)];
  if (distinct.length === 0 || distinct.length > HOSTS_MAX) {
    throw new SvcError("invalid_request", `${distinct.length} hosts were given; allowed are 1 to ${HOSTS_MAX}.`);
  }
  for (const host of distinct) {
    if (isHostName(host)) continue;
    throw new SvcError(
      "invalid_request",
      `${JSON.stringify(host.slice(0, 300))} is no host name: allowed are lower-case letters, digits, hyphens and ` +
        `dots, at most 63 characters between dots and ${HOST_NAME_LENGTH_MAX} in all.`,
    );
  }
  return distinct;
}
