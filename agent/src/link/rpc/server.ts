import { createServer, type ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import { once } from "node:events";
import { Code, ConnectError, createContextValues, type Interceptor, type ServiceImpl } from "@connectrpc/connect";
import { type FleetIdentity, identityFromSubjectAltName } from "@svc/shared/rules/fleet-identity.ts";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "@svc/shared/gen/health/v1/health_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { createRpcHandler } from "@svc/shared/platform/rpc-handler.ts";
import { authorize, peerKey } from "./peer.ts";
import { registerReflection } from "./reflection.ts";
import { toWireError } from "./errors.ts";

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

/** The whole server, and each service by name. Engine and proxy are in the agent's status, not here. */
const SERVED: ReadonlySet<string> = new Set(["", AgentService.typeName]);

/** gRPC's standard health service (grpc/doc/health-checking.md); watches end when `stopping` aborts. */
function healthService(stopping: AbortSignal): ServiceImpl<typeof Health> {
  const now = () => ({ status: stopping.aborted ? ServingStatus.NOT_SERVING : ServingStatus.SERVING });
  return {
    check({ service }) {
      if (!SERVED.has(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
      return now();
    },
    list() {
      return { statuses: Object.fromEntries([...SERVED].map((service) => [service, now()])) };
    },
    async *watch({ service }, { signal }) {
      const known = SERVED.has(service);
      yield known ? now() : { status: ServingStatus.SERVICE_UNKNOWN };
      const ended = AbortSignal.any([signal, stopping]);
      if (!ended.aborted) await once(ended, "abort");
      if (stopping.aborted && known) yield now();
    },
  };
}

/** Is called often by machines; their failures are logged all the same. */
const QUIET_METHODS: ReadonlySet<string> = new Set([
  "RenewLock",
  "Check",
  "GetStatus",
  "Watch",
  "ServerReflectionInfo",
]);

/** One log event a call, and nothing but known errors on the wire. */
function observeCalls(log: Logger, onUnknown: (error: unknown) => void): Interceptor {
  return (next) => async (request) => {
    const started = performance.now();
    const call = { method: request.method.name, peer: request.contextValues.get(peerKey) };
    const ended = (error?: unknown): void => {
      const event = { ...call, ms: Math.round(performance.now() - started) };
      if (error !== undefined) log.info({ ...event, outcome: describe(error) }, "call");
      else log[QUIET_METHODS.has(call.method) ? "debug" : "info"]({ ...event, outcome: "ok" }, "call");
    };
    const fail = (error: unknown): Error => {
      const wire = toWireError(error, log, onUnknown);
      ended(wire);
      return wire;
    };
    try {
      const response = await next(request);
      if (!response.stream) {
        ended();
        return response;
      }
      return { ...response, message: observed(response.message, ended, fail) };
    } catch (error) {
      throw fail(error);
    }
  };
}

async function* observed<T>(messages: AsyncIterable<T>, ended: () => void, fail: (error: unknown) => Error) {
  try {
    yield* messages;
  } catch (error) {
    throw fail(error);
  }
  ended();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
