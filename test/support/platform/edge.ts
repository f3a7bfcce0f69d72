import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { request, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createProxy, type HostProxy, type ProxyOptions } from "@svc/agent/edge/proxy.ts";
import type { Route } from "@svc/agent/ports.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { freePort } from "../tools/free-ports.ts";
import { onceValid } from "../doubles/young-certificate.ts";

export interface TestEdge {
  proxy: HostProxy;
  dataDirectory: string;
  httpPort: number;
  httpsPort: number;
  options: ProxyOptions;
  /** Requests the host over HTTPS, verified against the internal CA. */
  get(host: string, options?: RequestOptions): Promise<Answer>;
  cleanUp(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The real proxy on loopback ports of its own. The path is short, since it holds a unix socket. */
export async function startTestEdge(changes: Partial<ProxyOptions> = {}): Promise<TestEdge> {
  const dataDirectory = await mkdtemp("/tmp/svc-edge-");
  const options: ProxyOptions = {
    dataDirectory,
    httpPort: await freePort(),
    httpsPort: await freePort(),
    listenHost: "127.0.0.1",
    log: silentLogger,
    ...changes,
  };
  const proxy = createProxy(options);
  async function cleanUp(): Promise<void> {
    await proxy.shutDown();
    await rm(dataDirectory, { recursive: true, force: true });
  }
  try {
    await proxy.ensureRunning();
  } catch (error) {
    await cleanUp();
    throw error;
  }
  const { internalCaPem } = await proxy.describe();
  return {
    proxy,
    dataDirectory,
    httpPort: options.httpPort,
    httpsPort: options.httpsPort,
    options,
    get: (host, more = {}) =>
      getHttps({ port: options.httpsPort, servername: host, headers: { host }, ca: internalCaPem, ...more }),
    cleanUp,
  };
}

export function getHttps(options: RequestOptions): Promise<Answer> {
  return onceValid(() => getOnce(options));
}

function getOnce(options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ host: "127.0.0.1", agent: false, timeout: 30_000, ...options }, (res) => {
      let body = "";
      res.setEncoding("utf8");
      res.on("data", (chunk: string) => (body += chunk));
      res.on("error", reject);
      res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    });
    req.on("timeout", () => req.destroy(new Error("no answer within 30 s")));
    req.on("error", reject);
    req.end();
  });
}

export interface Upstream {
  /** Stands for a container. */
  name: string;
  upstream: string;
  server: Server;
  requests: number;
  /** Ends it as a container's end does: with its connections. */
  close(): Promise<void>;
}

/** A plain HTTP server on loopback that answers with its name. */
export async function startUpstream(name: string, listener?: RequestListener): Promise<Upstream> {
  const server = createServer((req, res) => {
    upstream.requests++;
    if (listener) return listener(req, res);
    req.resume().on("end", () => res.end(name));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream: Upstream = {
    name,
    upstream: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    requests: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

type Target = Pick<Upstream, "name" | "upstream">;

export function routeTo(host: string, appId: string, to: Target, state: Route["state"] = "serving"): Route {
  return { host, appId, containerId: Buffer.from(to.name).toString("hex"), upstream: to.upstream, state };
}

export function internalCaFile(edge: TestEdge): string {
  return join(edge.dataDirectory, "internal-ca.pem");
}
