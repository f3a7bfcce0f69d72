import type { ServerHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";

export interface PingTiming {
  intervalMs: number;
  /** Without an answer for this long the peer is taken for dead. */
  timeoutMs: number;
}

/** Together below the 20 s within which a dead peer has to be noticed. */
export const pingTiming: PingTiming = { intervalMs: 8000, timeoutMs: 8000 };

/** Hands a socket to the RPC server. */
export type Attach = (socket: TLSSocket) => ServerHttp2Session;

/** Probes of an idle connection keep middleboxes from forgetting it. */
const KEEPALIVE_MS = 10_000;

/** One connection over which the control plane calls this agent. */
export class Connection {
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
  #wasCalled = false;
  readonly #socket: TLSSocket;
  readonly #session: ServerHttp2Session;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(socket: TLSSocket, attach: Attach, timing: PingTiming) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEPALIVE_MS);
    socket.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once("close", () => {
        for (const timer of this.#timers) clearTimeout(timer);
        resolve();
      });
    });
    this.#session = attach(socket);
    this.#session.on("error", () => socket.destroy());
    this.#session.once("stream", () => (this.#wasCalled = true));
    this.#session.once("close", () => socket.destroy());
    this.#timers.add(setInterval(() => this.#ping(timing.timeoutMs), timing.intervalMs));
  }

  /** A control plane that refuses the agent ends the connection without a call. */
  get wasCalled(): boolean {
    return this.#wasCalled;
  }

  /**
   * Resolves when the peer has begun to speak HTTP/2. In TLS 1.3 a client's handshake is done before the server has
   * looked at its certificate, so only this tells that it was accepted.
   */
  async established(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const settings = new Promise<void>((resolve) => this.#session.once("remoteSettings", () => resolve()));
    const failed = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the control plane did not begin to call")), withinMs);
      void this.ended.then(() => reject(new Error("the control plane closed the connection")));
    });
    try {
      await Promise.race([settings, failed]);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Takes no new calls; ends when the open ones are done, at the latest after `withinMs`. */
  drain(withinMs: number): void {
    if (this.#socket.destroyed) return;
    if (!this.#session.destroyed) this.#session.close();
    this.closeAfter(withinMs);
  }

  /** Takes calls as before until then, in milliseconds. */
  closeAfter(ms: number): void {
    if (!this.#socket.destroyed) this.#after(ms, () => this.close());
  }

  /** Ends the connection with all of its calls. */
  close(): void {
    this.#session.destroy();
    this.#socket.destroy();
  }

  #ping(timeoutMs: number): void {
    if (this.#session.destroyed) return;
    const silent = this.#after(timeoutMs, () => this.close());
    this.#session.ping(() => {
      clearTimeout(silent);
      this.#timers.delete(silent);
    });
  }

  #after(ms: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), 2 ** 31 - 1));
    timer.unref();
    this.#timers.add(timer);
    return timer;
  }
}
