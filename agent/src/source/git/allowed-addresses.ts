import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import { forbiddenReason } from "@svc/shared/net/public-address.ts";
import { createHostResolver } from "@svc/shared/net/resolve-host.ts";
import type { OutboundPolicy } from "../../ports.ts";

/** Two rounds of a system resolver's usual 5 s. */
const RESOLVE_MS_MAX = 10_000;

/**
 * The addresses of the host that a clone may connect to. The caller pins the connection to them, so that a second
 * answer of the name server cannot lead elsewhere.
 * @throws SvcError repository_unreachable when the name does not resolve, or to nothing that may be reached
 */
export async function allowedAddresses(
  host: string,
  { allowCidrs, dnsServers }: Pick<OutboundPolicy, "allowCidrs" | "dnsServers">,
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = await resolve(host, dnsServers, signal);
  const allowed = addresses.filter((address) => forbiddenReason(address, allowCidrs) === undefined);
  if (allowed.length > 0) return allowed;
  const [address = host] = addresses;
  // Which one is not said: what the operator's own names lead to is no user's business.
  const lead = host === address ? "" : " leads to an address which";
  throw new SvcError(
    "repository_unreachable",
    `The repository's host ${host}${lead} ${forbiddenReason(address, allowCidrs)}; ` +
      "repositories are only fetched from public addresses. " +
      "Whoever runs this service can allow others with SVC_OUTBOUND_ALLOW.",
  );
}

async function resolve(host: string, dnsServers: readonly string[], signal: AbortSignal): Promise<string[]> {
  const stop = new AbortController();
  const limit = delay(RESOLVE_MS_MAX, "late" as const, { signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const addresses = await Promise.race([createHostResolver(dnsServers)(host), limit]);
    if (addresses === "late") throw unresolved(host, "its name server does not answer; try again later");
    if (addresses.length === 0) throw unresolved(host, "check the spelling of the repository's address");
    return addresses;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) throw error;
    throw unresolved(host, "its name could not be looked up; try again later", error);
  } finally {
    stop.abort();
    limit.catch(() => {});
  }
}

function unresolved(host: string, advice: string, cause?: unknown): SvcError {
  return new SvcError("repository_unreachable", `There is no address for the repository's host ${host}: ${advice}.`, {
    cause,
  });
}
