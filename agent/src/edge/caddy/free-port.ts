import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { SvcError } from "@svc/shared/errors.ts";
import { isErrno } from "../../platform/durable-file.ts";
import { findPortHolder } from "./port-holder.ts";

/**
 * Checks that the proxy will be able to listen, because Caddy would share a port silently with another Caddy of the
 * same user (SO_REUSEPORT) and report anything else in its log alone.
 * @throws SvcError proxy_unavailable naming the port, its variable and, if it can be found, who holds it
 */
export async function assertPortFree(variable: string, host: string, port: number, udpToo: boolean): Promise<void> {
  try {
    await tryTcp(host, port);
    if (udpToo) await tryUdp(host, port);
  } catch (cause) {
    throw new SvcError("proxy_unavailable", await sentence(variable, port, cause), { cause });
  }
}

async function sentence(variable: string, port: number, cause: unknown): Promise<string> {
  if (isErrno(cause, "EACCES")) {
    return (
      `The proxy may not listen on port ${port} (${variable}): ports below 1024 need root. ` +
      `Run the agent as root or set ${variable} to a port from 1024 to 65535.`
    );
  }
  if (!isErrno(cause, "EADDRINUSE")) {
    return `The proxy can't listen on port ${port} (${variable}): ${cause instanceof Error ? cause.message : cause}.`;
  }
  const holder = (await findPortHolder(port)) ?? "another process";
  return `Port ${port} (${variable}) is taken by ${holder}. Stop it or set ${variable} to a free port.`;
}

/** Without a host Node listens on both address families, or on IPv4 alone where there is no IPv6; so does Caddy. */
function tryTcp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(host === "" ? { port } : { port, host }, () => server.close(() => resolve()));
  });
}

function tryUdp(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.once("error", (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ port, address: host === "" ? "0.0.0.0" : host }, () => socket.close(() => resolve()));
  });
}
