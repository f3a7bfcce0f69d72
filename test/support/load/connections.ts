import { connect, constants, type ClientHttp2Session } from "node:http2";
import { Agent, request } from "node:https";

/** Where all of the load goes: a proxy on loopback. */
export interface LoadTarget {
  host: string;
  port: number;
  /** Root that certificates must verify against, PEM. */
  ca: string;
}

export interface LoadRequest {
  protocol: "h1" | "h2";
  /** A connection of its own, closed after the answer. */
  isFresh: boolean;
  path: string;
  /** Sent as a POST; a GET without. */
  body: string | undefined;
}

export interface LoadAnswer {
  status: number;
  body: string;
}

/** HTTP/2 sessions that are kept: browsers have one a host, and a load of hundreds of streams a second needs few. */
const SESSIONS = 4;
/** An answer that takes longer is none. Beyond the proxy's own limit, which is 10 s, and the slow requests. */
const ANSWER_MS_MAX = 25_000;

/** Connections to one host, kept alive or fresh, as clients of both protocols hold them. */
export class LoadConnections {
  readonly #target: LoadTarget;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #sessions: (ClientHttp2Session | undefined)[] = [];
  #next = 0;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  /** @throws Error saying why there is no whole answer */
  send(load: LoadRequest): Promise<LoadAnswer> {
    return load.protocol === "h1" ? this.#sendHttp1(load) : this.#sendHttp2(load);
  }

  close(): void {
    this.#agent.destroy();
    for (const session of this.#sessions) session?.destroy();
  }

  #sendHttp1({ isFresh, path, body }: LoadRequest): Promise<LoadAnswer> {
    const { host, port, ca } = this.#target;
    return new Promise((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port,
        ca,
        servername: host,
        path,
        headers: { host },
        agent: isFresh ? (false as const) : this.#agent,
        method: body === undefined ? "GET" : "POST",
        timeout: ANSWER_MS_MAX,
      };
      const req = request(options, (res) => {
        let text = "";
        res.setEncoding("utf8");
        res.on("data", (chunk: string) => (text += chunk));
        res.on("end", () => resolve({ status: res.statusCode ?? 0, body: text }));
        res.on("error", (error) => reject(new Error(`in the answer: ${error.message}`)));
      });
      req.on("timeout", () => req.destroy(new Error("no answer in time")));
      req.on("error", reject);
      req.end(body);
    });
  }

  async #sendHttp2(load: LoadRequest): Promise<LoadAnswer> {
    if (!load.isFresh) return this.#sendOn(this.#kept(), load);
    const session = this.#connect();
    try {
      return await this.#sendOn(session, load);
    } finally {
      session.close();
    }
  }

  #kept(): ClientHttp2Session {
    const index = this.#next++ % SESSIONS;
    const known = this.#sessions[index];
    if (known && !known.closed && !known.destroyed) return known;
    return (this.#sessions[index] = this.#connect());
  }

  #connect(): ClientHttp2Session {
    const { host, port, ca } = this.#target;
    const session = connect(`https://127.0.0.1:${port}`, { ca, servername: host });
    // Each of its streams reports it.
    session.on("error", () => {});
    return session;
  }

  #sendOn(session: ClientHttp2Session, { path, body }: LoadRequest): Promise<LoadAnswer> {
    return new Promise((resolve, reject) => {
      const stream = session.request(
        { ":method": body === undefined ? "GET" : "POST", ":path": path, ":authority": this.#target.host },
        { endStream: body === undefined },
      );
      let status = 0;
      let text = "";
      stream.setEncoding("utf8");
      stream.setTimeout(ANSWER_MS_MAX, () => stream.destroy(new Error("no answer in time")));
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("data", (chunk: string) => (text += chunk));
      stream.on("error", reject);
      stream.on("close", () => {
        const isWhole = status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR;
        if (isWhole) resolve({ status, body: text });
        else reject(new Error(`stream closed with code ${stream.rstCode}, status ${status}`));
      });
      if (body !== undefined) stream.end(body);
    });
  }
}
