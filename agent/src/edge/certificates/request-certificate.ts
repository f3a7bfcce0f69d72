import { connect } from "node:tls";

/** An order takes some seconds; the proxy goes on with it when nobody waits. */
const HANDSHAKE_MS_MAX = 30_000;

/**
 * Begins a handshake with the proxy for the host, so that its certificate is ordered now rather than at the first visit.
 * Nobody waits for it: the host's first visitor does the same. Nothing is sent, so nothing is verified.
 */
export function requestCertificate(host: string, httpsPort: number): void {
  const socket = connect({
    host: "127.0.0.1",
    port: httpsPort,
    servername: host,
    rejectUnauthorized: false,
    timeout: HANDSHAKE_MS_MAX,
  });
  const end = (): void => void socket.destroy();
  socket.once("secureConnect", end).once("timeout", end).once("error", end).unref();
}
