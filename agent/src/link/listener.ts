import type { AddressInfo } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { identityFromSubjectAltName, type FleetRole } from "@svc/shared/rules/fleet-identity.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { Connection, pingTiming, type Attach } from "./connection.ts";
import type { Identity } from "./identity.ts";

interface Options {
  /** SVC_AGENT_LISTEN; port 0 lets the system choose. */
  listen: HostPort;
  identity: Identity;
  attach: Attach;
  log: Logger;
  onChange: (connections: number) => void;
}

/** A few control planes and operators; more is somebody who opens connections and does not use them. */
const CONNECTIONS_MAX = 200;
const HANDSHAKE_MS = 10_000;
const STOP_MS = 2000;

/** Roles that may connect. Another server's certificate comes from the same authority and is of no use here. */
const ROLES: ReadonlySet<FleetRole> = new Set(["control-plane", "operator"]);

/** Waits on SVC_AGENT_LISTEN to be dialled, instead of dialling out. */
export class Listener {
  readonly #options: Options;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();

  constructor(options: Options) {
    this.#options = options;
    const client = { requestCert: true, rejectUnauthorized: true };
    const limits = { handshakeTimeout: HANDSHAKE_MS };
    this.#server = createServer({ ...client, ...limits, ...secureContext(options.identity) }, (socket) =>
      this.#accept(socket),
    );
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on("tlsClientError", (err, socket) => {
      options.log.warn({ err, remoteAddress: socket.remoteAddress }, "refused a connection");
    });
  }

  /** Where it listens. @throws SvcError invalid_request when the address can't be had */
  async start(): Promise<HostPort> {
    const { listen, log } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(listen.port, listen.host, () => resolve());
    }).catch((cause: Error) => {
      const sentence = `SVC_AGENT_LISTEN is ${formatHostPort(listen)}, where the agent can't listen: ${cause.message}.`;
      throw new SvcError("invalid_request", sentence, { cause });
    });
    const { address, port } = this.#server.address() as AddressInfo;
    log.info({ address, port }, "waiting to be dialled");
    return { host: address, port };
  }

  /** New connections see the new certificate; the others go on until theirs or their peer's expires. */
  useIdentity(identity: Identity): void {
    this.#server.setSecureContext(secureContext(identity));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections) connection.drain(STOP_MS);
    await closed;
  }

  #accept(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    const peer = identityFromSubjectAltName(certificate?.subjectAltName);
    if (!peer || !certificate || !ROLES.has(peer.role) || socket.alpnProtocol !== "h2") {
      this.#options.log.warn({ peer, remoteAddress: socket.remoteAddress }, "refused a connection");
      socket.on("error", () => undefined).destroy();
      return;
    }
    const connection = new Connection(socket, this.#options.attach, pingTiming);
    this.#connections.add(connection);
    this.#options.onChange(this.#connections.size);
    // TLS looks at a certificate only when a connection begins.
    const expired = setTimeout(() => connection.close(), timeLeftMs(certificate.validToDate));
    void connection.ended.then(() => {
      clearTimeout(expired);
      this.#connections.delete(connection);
      this.#options.onChange(this.#connections.size);
    });
  }
}

function secureContext({ keyPem, certificatePem, authorityPem }: Identity) {
  return {
    key: keyPem,
    cert: certificatePem,
    ca: authorityPem,
    minVersion: "TLSv1.3",
    ALPNProtocols: ["h2"],
  } as const;
}

/** At most what a timer takes, 24.8 days: then the peer dials again a little early. */
function timeLeftMs(notAfter: Date): number {
  return Math.min(Math.max(0, notAfter.getTime() - Date.now()), 2 ** 31 - 1);
}
