import type { TLSSocket } from "node:tls";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AgentClient } from "../../ports.ts";
import { AgentTransport } from "./agent-transport.ts";
import { atTime } from "./at-time.ts";
import { LinkSession, type PingTiming } from "./link-session.ts";
import type { Peer } from "./peer.ts";

/** The largest answer is a batch of 500 log lines of 16 KiB. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * One connection to a server's agent, over which we call it, until the agent or we end it, or its certificate expires:
 * TLS looks at a certificate only when a connection begins.
 */
export class Link {
  readonly serverId: string;
  /** The end of the agent's certificate. */
  readonly certificateUntil: Date;
  readonly #hostKey: Buffer;
  /** The time on the process's own clock (performance.now). */
  readonly openedAt = performance.now();
  /** Calls over this link alone, also when a newer one has taken over. */
  readonly client: AgentClient;
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
  /** Is aborted when the link ends or takes no new calls any more. */
  readonly retired: AbortSignal;
  readonly #session: LinkSession;
  readonly #calls: AgentTransport;
  readonly #retiring = new AbortController();

  constructor(socket: TLSSocket, peer: Peer, timing: PingTiming) {
    this.serverId = peer.identity.id;
    this.certificateUntil = peer.notAfter;
    this.#hostKey = peer.hostKey;
    this.retired = this.#retiring.signal;
    this.#session = new LinkSession(socket, timing);
    const connectTransport = createConnectTransport({
      baseUrl: this.#session.authority,
      httpVersion: "2",
      sessionManager: this.#session,
      // Nothing is saved on a connection that carries build logs at most.
      acceptCompression: [],
      readMaxBytes: MESSAGE_BYTES_MAX,
    });
    this.#calls = new AgentTransport(connectTransport, () => this.#closeWhenDone());
    this.client = createClient(AgentService, this.#calls);
    const cancelExpiry = atTime(peer.notAfter, () => this.close());
    this.ended = this.#session.ended.then(() => {
      cancelExpiry();
      this.#retiring.abort();
    });
  }

  /** @param members each with the key of its host, or null */
  isOfMember(members: ReadonlyMap<string, Buffer | null>): boolean {
    const hostKey = members.get(this.serverId);
    return hostKey === null || hostKey?.equals(this.#hostKey) === true;
  }

  /** The key of the host at the other end. */
  get hostKey(): Buffer {
    return this.#hostKey;
  }

  get transport(): Transport {
    return this.#calls;
  }

  /** A newer link has taken over: open calls may finish within `graceMs`, then the connection ends. */
  retire(graceMs: number): void {
    if (this.retired.aborted) return;
    this.#retiring.abort();
    const cancel = atTime(new Date(Date.now() + graceMs), () => this.close());
    void this.ended.then(cancel);
    this.#closeWhenDone();
  }

  /** Ends the connection now; open calls fail with `agent_away`. */
  close(): void {
    this.#session.destroy();
  }

  #closeWhenDone(): void {
    if (this.retired.aborted && this.#calls.openCalls === 0) this.close();
  }
}
