import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from "node:http2";
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { createClient, type Client, type ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import type { MessageInitShape } from "@bufbuild/protobuf";
import forge from "node-forge";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { ALPN_LINK, CONTROL_PLANE_NAME } from "@svc/shared/rules/fleet-identity.ts";
import { AgentService, type StatusSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { EnrolmentService } from "@svc/shared/gen/svc/fleet/v1/enrolment_pb.ts";

/**
 * Is made once: node-forge needs a while, and the control plane gives every identity a certificate of its own anyway.
 */
const key = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const agentKeyPem = key.privateKey;
export const agentRequestPem = signingRequest();

function signingRequest(): string {
  const request = forge.pki.createCertificationRequest();
  request.publicKey = forge.pki.publicKeyFromPem(key.publicKey);
  request.setSubject([{ name: "commonName", value: "agent" }]);
  request.sign(forge.pki.privateKeyFromPem(key.privateKey), forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(request);
}

export interface AgentIdentity {
  serverId: string;
  certificatePem: string;
  authorityPem: string;
}

/** Calls EnrolmentService on a connection of its own, with the identity's certificate if there is one. */
export async function withEnrolment<T>(
  address: HostPort,
  authorityPem: string,
  identity: AgentIdentity | undefined,
  call: (client: Client<typeof EnrolmentService>) => Promise<T>,
): Promise<T> {
  const baseUrl = `https://${address.host}:${address.port}`;
  const sessionManager = new Http2SessionManager(baseUrl, undefined, {
    ca: authorityPem,
    servername: CONTROL_PLANE_NAME,
    ...(identity ? { key: agentKeyPem, cert: identity.certificatePem } : {}),
  });
  const transport = createConnectTransport({ baseUrl, httpVersion: "2", sessionManager });
  try {
    return await call(createClient(EnrolmentService, transport));
  } finally {
    sessionManager.abort();
  }
}

export interface JoinOptions {
  address: HostPort;
  token: string;
  authorityPem: string;
  csrPem?: string;
  listenAddress?: string;
}

export async function joinFleet(options: JoinOptions): Promise<AgentIdentity> {
  const { address, token, authorityPem, csrPem = agentRequestPem, listenAddress = "" } = options;
  return withEnrolment(address, authorityPem, undefined, (client) =>
    client.join({ token, csrPem, listenAddress, agentVersion: "test" }),
  );
}

/** A stand-in for an agent: the real link, a status, and a log that says what the test makes it say. */
export class FakeAgent {
  /** The answer of `GetStatus` and `WatchStatus`. */
  status: MessageInitShape<typeof StatusSchema> = { agentVersion: "test" };
  /** Takes the bundle of an upgrade; the version that it is told, and the size of the archive. */
  takeUpgrade: (version: string, bytes: number) => void = () => undefined;
  /** Reasons for which it was told to leave the fleet. */
  readonly dismissals: string[] = [];
  #said: string[] = [];
  #isFinished = false;
  #wake = Promise.withResolvers<void>();
  /** This is more than one where several control planes dial. */
  readonly #sockets: TLSSocket[] = [];
  #connections = 0;
  #server: Http2Server | Http2SecureServer | undefined;

  /** The next line of the streams of `StreamLogs`. */
  say(line: string): void {
    this.#said.push(line);
    this.#signal();
  }

  /** Ends the streams of `StreamLogs`. */
  finish(): void {
    this.#isFinished = true;
    this.#signal();
  }

  /** Tells whoever watches that `status` has changed. */
  changeStatus(status: MessageInitShape<typeof StatusSchema>): void {
    this.status = status;
    this.#signal();
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #routes = (router: ConnectRouter): void => {
    router.service(AgentService, {
      getStatus: () => ({ status: this.status }),
      watchStatus: (_, { signal }) => this.#watch(signal),
      streamLogs: ({ follow }, { signal }) => this.#follow(follow, signal),
      upgradeAgent: async (requests) => {
        let [version, bytes] = ["", 0];
        for await (const { part } of requests) {
          if (part.case === "header") version = part.value.version;
          if (part.case === "chunk") bytes += part.value.length;
        }
        this.takeUpgrade(version, bytes);
        return {};
      },
      leaveFleet: ({ reason }) => {
        this.dismissals.push(reason);
        return {};
      },
    });
  };

  async *#watch(signal: AbortSignal) {
    while (!signal.aborted) {
      yield { status: this.status };
      await this.#wakeOr(signal);
    }
  }

  async *#follow(follow: boolean, signal: AbortSignal) {
    for (let next = 0; !signal.aborted;) {
      const text = this.#said[next];
      if (text !== undefined) {
        next += 1;
        yield { lines: [{ text }] };
      } else if (!follow || this.#isFinished) return;
      else await this.#wakeOr(signal);
    }
  }

  #wakeOr(signal: AbortSignal): Promise<void> {
    return Promise.race([this.#wake.promise, once(signal, "abort").then(() => undefined)]);
  }

  /** Dials out, as an agent without SVC_AGENT_LISTEN. Resolves once TLS stands. */
  async dialOut(
    address: HostPort,
    identity: AgentIdentity | undefined,
    authorityPem: string,
    keyPem = agentKeyPem,
  ): Promise<void> {
    this.#server ??= createServer(connectNodeAdapter({ routes: this.#routes }));
    const socket = connectTls({
      host: address.host,
      port: address.port,
      ca: authorityPem,
      servername: CONTROL_PLANE_NAME,
      ALPNProtocols: [ALPN_LINK],
      minVersion: "TLSv1.3",
      ...(identity ? { key: keyPem, cert: identity.certificatePem } : {}),
    });
    this.#sockets.push(socket);
    socket.on("error", () => undefined);
    await once(socket, "secureConnect");
    this.#server.emit("connection", socket);
  }

  /** Waits to be dialled, as an agent with SVC_AGENT_LISTEN. */
  async listen(port: number, identity: AgentIdentity): Promise<void> {
    const options = {
      key: agentKeyPem,
      cert: identity.certificatePem,
      ca: identity.authorityPem,
      requestCert: true,
      minVersion: "TLSv1.3",
    } as const;
    const server = createSecureServer(options, connectNodeAdapter({ routes: this.#routes }));
    server.on("secureConnection", (socket: TLSSocket) => void this.#sockets.push(socket));
    server.on("sessionError", () => undefined);
    server.on("connection", () => (this.#connections += 1));
    this.#server = server;
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }

  /** How often it was dialled. */
  get connections(): number {
    return this.#connections;
  }

  get isConnected(): boolean {
    return this.#sockets.some((socket) => !socket.destroyed);
  }

  /** As if its process had died. */
  kill(): void {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server?.listening) this.#server.close();
  }
}

/** Passes bytes on to `target` until it falls silent, as a network does whose other half has lost power. */
export class SilentRelay {
  readonly #target: HostPort;
  readonly #sockets: Socket[] = [];
  readonly #server = createTcpServer((near) => {
    const far = connectTcp(this.#target);
    this.#sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => undefined);
    near.pipe(far);
    far.pipe(near);
  });

  constructor(target: HostPort) {
    this.#target = target;
  }

  async start(): Promise<HostPort> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  fallSilent(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
