/** Shakes hands with all hosts at once, again and again. Usage: shake-hands-main.ts ORDER (JSON). */
import { connect } from "node:tls";

export interface HandshakeOrder {
  hosts: readonly string[];
  /** The proxy's, on loopback. */
  port: number;
  forMs: number;
}

/** An order takes some seconds. */
const HANDSHAKE_MS_MAX = 10_000;

const { hosts, port, forMs } = JSON.parse(process.argv[2] ?? "") as HandshakeOrder;
const endsAt = Date.now() + forMs;
while (Date.now() < endsAt) await Promise.all(hosts.map(shakeHands));

/** Resolves when the handshake has come to an end, whichever. */
function shakeHands(servername: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername, rejectUnauthorized: false });
    socket.setTimeout(HANDSHAKE_MS_MAX, () => socket.destroy());
    socket.once("secureConnect", () => socket.destroy());
    socket.on("error", () => undefined);
    socket.once("close", () => resolve());
  });
}
