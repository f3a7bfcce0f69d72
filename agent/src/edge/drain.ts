import type { Clock } from "@svc/shared/platform/clock.ts";
import { targetOf, UPSTREAM_CACHE_MS, upstreamsOf } from "./routes.ts";
import { isErrno } from "../platform/durable-file.ts";
import type { ContainerState, Proxy } from "../ports.ts";

const POLL_MS = 100;

export interface DrainOptions {
  proxy: Proxy;
  clock: Clock;
  /** How long open requests may take. */
  drainSeconds: number;
  signal?: AbortSignal | undefined;
}

/**
 * Waits until the proxy sends nothing more to a container that no route points to, and its open requests have ended or
 * the time is up. A proxy that does not run has no open requests.
 * @throws the signal's reason
 */
export async function drain(
  container: Pick<ContainerState, "id" | "address" | "port" | "copies">,
  { proxy, clock, drainSeconds, signal }: DrainOptions,
): Promise<void> {
  // Twice, for a look-up that began just before the switch and a host under load.
  await clock.sleep(2 * UPSTREAM_CACHE_MS, signal);
  const upstreams = upstreamsOf(targetOf(container));
  const deadline = clock.now().getTime() + drainSeconds * 1000;
  while (clock.now().getTime() < deadline) {
    if ((await openRequests(proxy, upstreams)) === 0) return;
    await clock.sleep(POLL_MS, signal);
  }
}

async function openRequests(proxy: Proxy, upstreams: readonly string[]): Promise<number> {
  let open = 0;
  for (const upstream of upstreams) open += await proxy.requestsInFlight(upstream).catch(openWhereNotAnswered);
  return open;
}

/** No process is behind the socket: it has no request. One that only takes its time to answer may have many. */
function openWhereNotAnswered(error: unknown): number {
  const cause = error instanceof Error ? error.cause : undefined;
  return isErrno(cause, "ECONNREFUSED") || isErrno(cause, "ENOENT") ? 0 : 1;
}
