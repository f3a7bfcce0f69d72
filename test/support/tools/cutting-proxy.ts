import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { tieSockets } from "./tie-sockets.ts";

/** A line to a server that can be cut while it is used. */
export interface CuttingProxy {
  url: string;
  /** Connections that were opened so far. */
  opened(): number;
  /** Ends all that are open. */
  cut(): void;
  /** From now on it ends every connection at once, or serves again. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

/** @param target where the server listens: an http:// or unix:// URL */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { protocol, hostname, port, pathname } = new URL(target);
  const connect = (): Socket =>
    protocol === "unix:" ? createConnection(pathname) : createConnection(Number(port), hostname);
  const sockets = new Set<Socket>();
  let opened = 0;
  let refusing = false;
  const server = createServer((client) => {
    opened += 1;
    if (refusing) return client.destroy();
    const upstream = connect();
    client.pipe(upstream).pipe(client);
    tieSockets(sockets, client, upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened: () => opened,
    cut,
    refuse(isRefusing) {
      refusing = isRefusing;
      if (refusing) cut();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      cut();
      await closed;
    },
  };
}
