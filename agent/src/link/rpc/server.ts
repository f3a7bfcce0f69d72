import { createServer, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import { createContextValues, type ServiceImpl } from "@connectrpc/connect";
import { identityFromSubjectAltName, type FleetIdentity } from "@svc/shared/rules/fleet-identity.ts";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { Health } from "@svc/shared/gen/health/v1/health_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { createRpcHandler } from "@svc/shared/platform/rpc-handler.ts";
import { observeCalls } from "./calls.ts";
import { healthService } from "./health.ts";
import { authorize, peerKey } from "./peer.ts";
import { registerReflection } from "./reflection.ts";

/** Room for a build's log in flight; Node's 64 KiB would make each message wait for the last one. */
const WINDOW_BYTES = 1 << 20;

/** The largest request is an app's environment: 64 values of 8 KiB. */
const REQUEST_BYTES_MAX = 2 * 1024 * 1024;

/**
 * Serves calls on connections that others make: the link, which the agent dials itself, or the listener. The HTTP/2
 * server behind it never listens.
 */
export interface RpcServer {
  /** The socket's TLS handshake is done and its peer's certificate verified. */
  attach(socket: TLSSocket): ServerHttp2Session;
}

interface Options {
  service: ServiceImpl<typeof AgentService>;
  stopping: AbortSignal;
  log: Logger;
  onUnknownError: (error: unknown) => void;
}

export function createRpcServer({ service, stopping, log, onUnknownError }: Options): RpcServer {
  const peers = new WeakMap<object, FleetIdentity>();

  const handler = createRpcHandler(
    {
      routes(router) {
        router.service(AgentService, service);
        router.service(Health, healthService(stopping));
        registerReflection(router, [AgentService, Health]);
      },
      grpcWeb: false,
      // Log lines cross a machine room or a loopback, where compressing them costs more than sending them.
      acceptCompression: [],
      readMaxBytes: REQUEST_BYTES_MAX,
      interceptors: [observeCalls(log, onUnknownError)],
      requestGate: authorize,
      contextValues: (request) => {
        const session = "stream" in request ? request.stream.session : undefined;
        return createContextValues().set(peerKey, session && peers.get(session));
      },
    },
    log,
  );
  const server = createServer({ settings: { initialWindowSize: WINDOW_BYTES } }, handler);
  server.on("sessionError", (err) => log.debug({ err }, "a connection failed"));

  return {
    attach(socket) {
      let session: ServerHttp2Session | undefined;
      const take = (made: ServerHttp2Session): void => {
        session = made;
      };
      // The documented way to give a server a socket that it did not accept; the session is made within `emit`.
      server.once("session", take);
      server.emit("connection", socket);
      server.off("session", take);
      if (!session) throw new Error("no HTTP/2 session was made for the connection");
      const peer = peerOf(socket);
      if (peer) peers.set(session, peer);
      session.setLocalWindowSize(WINDOW_BYTES);
      return session;
    },
  };
}

function peerOf(socket: TLSSocket): FleetIdentity | undefined {
  return identityFromSubjectAltName(socket.getPeerX509Certificate()?.subjectAltName);
}
