import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { Code, ConnectError } from "@connectrpc/connect";

export interface PingTiming {
  /** A connection without traffic is asked this often whether it lives, in milliseconds. */
  intervalMs: number;
  timeoutMs: number;
}

/** Finds a dead agent within 15 s, less than half of what a running deploy waits for it. */
export const pingTiming: PingTiming = { intervalMs: 10_000, timeoutMs: 5_000 };

/**
 * The window of a stream and of the connection: the default of 64 KiB would cap logs at 1.3 MB/s over 50 ms of
 * distance.
 */
const WINDOW_BYTES = 1024 * 1024;

/**
 * The HTTP/2 client on a connection that exists already, whoever dialled it, as Connect's transport wants it. Unlike
 * Connect's own manager it never connects again: when the connection is gone, calls fail with `unavailable`.
 */
export class LinkSession {
  /** Connect asks for an origin; nobody resolves it. */
  readonly authority = "https://agent.svc.internal";
  /** Resolves when the connection is gone, whoever ended it. */
  readonly ended: Promise<void>;
  readonly #session: ClientHttp2Session;
  readonly #timing: PingTiming;
  #lastReadAt = performance.now();

  constructor(socket: TLSSocket, timing: PingTiming) {
    this.#timing = timing;
    socket.setNoDelay(true);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    socket.once("close", resolve);
    this.#session = connect(this.authority, {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    this.#session.once("connect", () => this.#session.setLocalWindowSize(WINDOW_BYTES));
    // Each open call reports the error itself, and "close" follows.
    this.#session.on("error", () => undefined);
    const pings = setInterval(() => this.#ping(), timing.intervalMs);
    this.#session.once("close", () => {
      clearInterval(pings);
      socket.destroy();
    });
    if (socket.destroyed) resolve();
  }

  request(method: string, path: string, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
    if (this.#session.closed || this.#session.destroyed) {
      return Promise.reject(linkEnded());
    }
    try {
      return Promise.resolve(this.#session.request({ ...headers, ":method": method, ":path": path }));
    } catch (error) {
      return Promise.reject(ConnectError.from(error, Code.Unavailable));
    }
  }

  notifyResponseByteRead(): void {
    this.#lastReadAt = performance.now();
  }

  /** Tells the agent that the connection ends, and ends it with all of its calls. */
  destroy(): void {
    this.#session.destroy(linkEnded(), constants.NGHTTP2_CANCEL);
  }

  #ping(): void {
    if (performance.now() - this.#lastReadAt < this.#timing.intervalMs) return;
    const timeout = setTimeout(() => this.destroy(), this.#timing.timeoutMs);
    const wasSent =
      !this.#session.destroyed &&
      this.#session.ping(() => {
        clearTimeout(timeout);
      });
    if (!wasSent) clearTimeout(timeout);
  }
}

function linkEnded(): ConnectError {
  return new ConnectError("the link has ended", Code.Unavailable);
}
