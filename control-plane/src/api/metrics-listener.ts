import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { HostPort } from "@svc/shared/platform/env.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { bind } from "./bind.ts";
import type { HttpMetrics } from "./metrics.ts";

export interface MetricsListener {
  address: HostPort;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` and nothing else on SVC_METRICS_LISTEN, away from the API, which is a public page.
 * @throws SvcError when the address can't be used
 */
export async function listenForMetrics(
  metrics: Pick<HttpMetrics, "text" | "contentType">,
  { address, log }: { address: HostPort; log: Logger },
): Promise<MetricsListener> {
  const server = createServer((req, res) => {
    answer(metrics, req, res).catch((err: unknown) => {
      log.error({ err }, "the metrics could not be read");
      res.destroy();
    });
  });
  const bound = await bind(server, { address, what: "The metrics", variable: "SVC_METRICS_LISTEN" });
  return {
    address: bound,
    async close() {
      const closed = once(server, "close");
      server.close();
      // A scrape that is cut off is made again.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  metrics: Pick<HttpMetrics, "text" | "contentType">,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.url !== "/metrics") return void res.writeHead(404).end();
  if (req.method !== "GET" && req.method !== "HEAD") return void res.writeHead(405, { Allow: "GET, HEAD" }).end();
  const text = await metrics.text();
  res.writeHead(200, { "Content-Type": metrics.contentType }).end(text);
}
