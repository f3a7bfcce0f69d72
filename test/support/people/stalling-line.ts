import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { tieSockets } from "../tools/tie-sockets.ts";

/** A line to a service whose connections can die without an end, as where a router forgets them. */
export interface StallingLine {
  /** Of the service over this line. */
  url: string;
  /** Nothing comes any more over the connections that are open now; new ones are as before. */
  stall(): void;
  close(): Promise<void>;
}

/** @param url of a service on this machine */
export async function startStallingLine(url: string): Promise<StallingLine> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(Number(port), hostname);
    client.pipe(upstream);
    upstream.pipe(client);
    tieSockets(sockets, client, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
