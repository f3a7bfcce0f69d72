import { once } from "node:events";
import type { RequestListener } from "node:http";
import { constants, connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  getHttps,
  routeTo,
  startTestEdge,
  startUpstream,
  type TestEdge,
  type Upstream,
} from "../../support/platform/edge.ts";

let edge: TestEdge;
let ca: string;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  edge = await startTestEdge();
  ca = (await edge.proxy.describe()).internalCaPem;
});
afterAll(async () => {
  await edge.cleanUp();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

async function serve(host: string, listener: RequestListener): Promise<Upstream> {
  const upstream = await startUpstream(host, listener);
  upstreams.push(upstream);
  await edge.proxy.setRoutes(host, [routeTo(host, host, upstream)]);
  return upstream;
}

/** Ends with all of its connections, then listens again on the same port, as a container that is started again does. */
async function endAndListenAgain({ server }: Upstream): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
  server.listen(port, "127.0.0.1");
}

type Ask = (host: string, path: string, method: string, headers?: Record<string, string>) => Promise<number>;

const overHttp2: Ask = async (host, path, method, headers = {}) => {
  const session = connectHttp2(`https://127.0.0.1:${edge.httpsPort}`, { servername: host, ca });
  try {
    const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS } = constants;
    const stream = session.request({
      [HTTP2_HEADER_AUTHORITY]: host,
      [HTTP2_HEADER_METHOD]: method,
      [HTTP2_HEADER_PATH]: path,
      ...headers,
    });
    stream.resume().end();
    const [answered] = (await once(stream, "response")) as [Record<string, number>];
    return answered[HTTP2_HEADER_STATUS]!;
  } finally {
    session.destroy();
  }
};

const overHttp1: Ask = async (host, path, method, headers = {}) =>
  (await edge.get(host, { path, method, headers: { host, ...headers } })).status;

describe.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] satisfies [string, Ask][])("a request over %s that ends the app", (version, ask) => {
  it.each([
    ["GET", {}],
    ["HEAD", {}],
    ["OPTIONS", {}],
    ["POST", {}],
    ["POST", { "idempotency-key": "1" }],
    ["DELETE", {}],
  ])("reaches it once as %s %j, also right after others", async (method, headers) => {
    const host = `${method}-${Object.keys(headers).length}-${version.replaceAll(/\W/g, "-")}.test`.toLowerCase();
    const crashes: string[] = [];
    const app = await serve(host, (req, res) => {
      if (req.url !== "/crash") return res.end("well");
      crashes.push(req.method ?? "");
      return void endAndListenAgain(app);
    });
    // The first makes the certificate; all leave what connections the proxy keeps.
    await edge.get(host);
    await Promise.all(Array.from({ length: 8 }, () => ask(host, "/", "POST")));
    await Promise.all(Array.from({ length: 8 }, () => ask(host, "/", "GET")));
    expect(await ask(host, "/crash", method, headers)).toBe(502);
    expect(await ask(host, "/", "GET")).toBe(200);
    expect(crashes).toEqual([method]);
  });
});

it("a request that an app began to answer is not repeated", async () => {
  const app = await serve("halfway.test", (_req, res) => {
    res.writeHead(200, { "content-length": "10" });
    res.write("half", () => res.destroy());
  });
  const agent = new Agent({ keepAlive: false });
  const asked = getHttps({
    port: edge.httpsPort,
    servername: "halfway.test",
    headers: { host: "halfway.test" },
    ca,
    agent,
  });
  await expect(asked).rejects.toThrow(/aborted|reset|hang up/);
  expect(app.requests).toBe(1);
});

it.each(["GET", "POST"])("a %s waits for an app that is started again, and reaches it once", async (method) => {
  const host = `again-${method}.test`.toLowerCase();
  const app = await serve(host, (req, res) => res.end(req.method));
  await edge.get(host);
  const { port } = app.server.address() as AddressInfo;
  const closed = once(app.server, "close");
  app.server.close();
  app.server.closeAllConnections();
  await closed;
  app.requests = 0;
  const asked = edge.get(host, { method });
  // The time that a small app needs to start; the proxy is refused meanwhile.
  await delay(600);
  app.server.listen(port, "127.0.0.1");
  expect((await asked).status).toBe(200);
  expect(app.requests).toBe(1);
});
