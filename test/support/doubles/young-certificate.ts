import { once } from "node:events";
import { connect } from "node:tls";
import { eventually } from "../tools/eventually.ts";

/**
 * Asks again while a certificate is not valid yet. The internal authority's are valid from the moment of their making on,
 * and OpenSSL takes the time from a clock of the kernel's that is some milliseconds late (CLOCK_REALTIME_COARSE): whoever
 * verifies one right after a full second, on the same host, is ahead of it.
 */
export async function onceValid<T>(ask: () => Promise<T>): Promise<T> {
  const look = (): Promise<{ answer: T } | undefined> =>
    ask().then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "CERT_NOT_YET_VALID") return undefined;
        throw error;
      },
    );
  const found = await eventually(look, (it) => it !== undefined, { what: "the certificate is valid" });
  return found!.answer;
}

/** Has the proxy make the host's certificate, for a connection whose handshake is not to be repeated. */
export async function handshake({ host, port, ca }: { host: string; port: number; ca: string }): Promise<void> {
  await onceValid(async () => {
    const socket = connect({ host: "127.0.0.1", port, servername: host, ca });
    try {
      await once(socket, "secureConnect");
    } finally {
      socket.destroy();
    }
  });
}
