import { connect } from "node:net";
import { parseHostPort } from "@svc/shared/env.ts";

/** A container on the same host answers within a millisecond; one that takes this long is not serving. */
const TIMEOUT_MS = 1000;

/** True when the upstream (address:port) accepts a TCP connection. */
export function acceptsConnection(upstream: string): Promise<boolean> {
  const address = parseHostPort(upstream);
  if (!address) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: TIMEOUT_MS });
    const answer = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", answer(true));
    socket.once("timeout", answer(false));
    socket.once("error", answer(false));
  });
}
