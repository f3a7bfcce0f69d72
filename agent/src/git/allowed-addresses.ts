import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "@svc/shared/errors.ts";
import { forbiddenReason } from "@svc/shared/net/public-address.ts";

/** Two rounds of a system resolver's usual 5 s. */
const RESOLVE_MS_MAX = 10_000;

/** RFC 6761: never asked of a resolver; Node's does not know the names below `localhost`. */
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * The addresses of the host that a clone may connect to. The caller pins the connection to them, so that a second
 * answer of the name server cannot lead elsewhere.
 * @throws SvcError repository_unreachable when the name does not resolve, or to nothing that may be reached
 */
export async function allowedAddresses(
  host: string,
  allowCidrs: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = await resolve(host, signal);
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

async function resolve(host: string, signal: AbortSignal): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  if (host === "localhost" || host.endsWith(".localhost")) return LOOPBACK;
  const stop = new AbortController();
  const limit = delay(RESOLVE_MS_MAX, "late" as const, { signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const answer = await Promise.race([lookup(host, { all: true }), limit]);
    if (answer === "late") throw unresolved(host, "its name server does not answer; try again later");
    return answer.map(({ address }) => address);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SvcError) throw error;
    const isUnknown = error instanceof Error && "code" in error && error.code === "ENOTFOUND";
    throw unresolved(
      host,
      isUnknown ? "check the spelling of the repository's address" : "its name could not be looked up; try again later",
      error,
    );
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
