import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";

export interface Binding {
  address: HostPort;
  /** The listener, as the subject of a sentence. */
  what: string;
  /** The variable that chooses another address. */
  variable: string;
}

/**
 * Lets the server listen.
 * @returns where it does: port 0 lets the system choose
 * @throws SvcError that names the variable when the address can't be used
 */
export async function bind(server: Server, { address, what, variable }: Binding): Promise<HostPort> {
  try {
    server.listen(address.port, address.host);
    await once(server, "listening");
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
    const reason = isTaken ? "something else listens there" : String(cause);
    throw new SvcError(
      "internal",
      `${what} can't listen on ${formatHostPort(address)}: ${reason}. Set ${variable} to another address, or end what uses it.`,
      { cause },
    );
  }
  const { port } = server.address() as AddressInfo;
  return { host: address.host, port };
}
