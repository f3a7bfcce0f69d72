import { once } from "node:events";
import type { Server } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { ALPN_BUNDLE, ALPN_ENROLMENT, ALPN_LINK } from "@svc/shared/rules/fleet-identity.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { RpcHandler } from "@svc/shared/platform/rpc-handler.ts";
import type { ControlPlaneCredentials } from "../authority/control-plane-credentials.ts";

export interface ListenerOptions {
  listen: HostPort;
  credentials: ControlPlaneCredentials;
  enrolment: RpcHandler;
  /** Never listens by itself. */
  bundles: Server;
  /** Gets every connection that asks for a link, whoever it is from. */
  onLink(socket: TLSSocket): void;
  log: Logger;
}

export interface AgentListener {
  address: HostPort;
  /** Takes no more connections and ends those that are open, also in the middle of a handshake. */
  close(): Promise<void>;
}

/** Strangers may connect: one that does not finish its handshake is not waited for. */
const HANDSHAKE_MS_MAX = 10_000;
/** Joining takes one call of some 50 ms. */
const ENROLMENT_MS_MAX = 60_000;
const ENROLMENT_STREAMS_MAX = 4;

/**
 * SVC_AGENTS_LISTEN: one port, where the ALPN says what a connection is for. A client certificate is asked for and not
 * required here, since an agent that joins has none yet; each use decides what it needs.
 */
export async function listenForAgents(options: ListenerOptions): Promise<AgentListener> {
  const { listen, credentials, log } = options;
  const enrolment = createHttp2Server({ settings: { maxConcurrentStreams: ENROLMENT_STREAMS_MAX } }, options.enrolment);
  enrolment.on("session", (session) => {
    const timer = setTimeout(() => session.destroy(), ENROLMENT_MS_MAX);
    session.once("close", () => clearTimeout(timer));
  });
  enrolment.on("sessionError", (error) => log.debug({ err: error }, "an enrolment connection failed"));

  const tlsOptions = {
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: [ALPN_LINK, ALPN_ENROLMENT, ALPN_BUNDLE],
    handshakeTimeout: HANDSHAKE_MS_MAX,
  };
  const server = createTlsServer({ ...credentials.tlsOptions(), ...tlsOptions }, (socket) => {
    socket.on("error", (error) => log.debug({ err: error }, "an agent's connection failed"));
    if (socket.alpnProtocol === ALPN_LINK) return options.onLink(socket);
    if (socket.alpnProtocol === ALPN_BUNDLE) return void options.bundles.emit("connection", socket);
    if (socket.alpnProtocol !== ALPN_ENROLMENT) return void socket.destroy();
    enrolment.emit("connection", socket);
  });
  const connections = new Set<Socket>();
  server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  server.on("tlsClientError", (error) => log.debug({ err: error }, "a TLS handshake failed"));
  credentials.onRenewed(() => server.setSecureContext(credentials.tlsOptions()));

  try {
    server.listen(listen.port, listen.host);
    await once(server, "listening");
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw new SvcError(
      "internal",
      `The control plane can't listen for agents on ${formatHostPort(listen)}: ` +
        `${isTaken ? "something else listens there" : String(cause)}. Set SVC_AGENTS_LISTEN to another address, or ` +
        "end what uses it.",
      { cause },
    );
  }
  const bound = server.address();
  const port = bound !== null && typeof bound === "object" ? bound.port : listen.port;
  return {
    address: { host: listen.host, port },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}
