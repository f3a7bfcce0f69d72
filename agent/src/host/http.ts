import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { hasBearerToken } from "./metrics-token.ts";
import type { Metrics } from "./metrics.ts";
import type { Engine, Proxy } from "../ports.ts";

interface Options {
  /** SVC_AGENT_HTTP. */
  listen: HostPort;
  engine: Pick<Engine, "describe">;
  proxy: Pick<Proxy, "describe">;
  metrics: Metrics;
  /** Whether a control plane is connected; without one the agent is ready all the same. */
  isLinked: () => boolean;
  /** The token that a reader of the metrics shows: they name apps, and apps and builds may reach this port. */
  metricsToken: string;
  log: Logger;
}

/**
 * Answers supervisors and scrapers on the host itself: /healthz and /readyz, which say nothing of apps, and /metrics with
 * its token.
 */
export class HttpServer {
  readonly #options: Options;
  readonly #server: Server;

  constructor(options: Options) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((err: unknown) => {
        options.log.error({ err }, "a local request failed");
        response.destroy();
      });
    });
  }

  /** @throws SvcError invalid_request when the address can't be had */
  async start(): Promise<HostPort> {
    const { listen } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(listen.port, listen.host, () => resolve());
    }).catch((cause: Error) => {
      const sentence = `SVC_AGENT_HTTP is ${formatHostPort(listen)}, where the agent can't listen: ${cause.message}.`;
      throw new SvcError("invalid_request", sentence, { cause });
    });
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead) return send(response.setHeader("allow", "GET, HEAD"), 405, { error: "method_not_allowed" });
    switch (request.url) {
      case "/healthz":
        return send(response, 200, { status: "ok" });
      case "/readyz": {
        const parts = await this.#parts();
        return send(response, parts.engine && parts.proxy ? 200 : 503, { ...parts, linked: this.#options.isLinked() });
      }
      case "/metrics": {
        const { metrics, metricsToken } = this.#options;
        if (!hasBearerToken(request.headers.authorization, metricsToken)) {
          return send(response.setHeader("www-authenticate", "Bearer"), 401, { error: "unauthorized" });
        }
        const { registry } = metrics;
        response.setHeader("content-type", registry.contentType).end(await registry.metrics());
        return;
      }
      default:
        return send(response, 404, { error: "not_found" });
    }
  }

  async #parts(): Promise<{ engine: boolean; proxy: boolean }> {
    const { engine, proxy } = this.#options;
    const [engineReached, proxyReached] = await Promise.all([
      engine.describe().then(
        () => true,
        () => false,
      ),
      proxy.describe().then(
        ({ reachable }) => reachable,
        () => false,
      ),
    ]);
    return { engine: engineReached, proxy: proxyReached };
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}
