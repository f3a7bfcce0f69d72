import { parseHostPort } from "@svc/shared/platform/env.ts";
import { probeTcp } from "../platform/tcp-probe.ts";

/** A container on the same host answers within a millisecond; one that takes this long is not serving. */
const TIMEOUT_MS = 1000;

/** True when the upstream (address:port) accepts a TCP connection. */
export async function acceptsConnection(upstream: string): Promise<boolean> {
  const address = parseHostPort(upstream);
  return address !== undefined && (await probeTcp(address.host, address.port, TIMEOUT_MS)) === undefined;
}
