import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { INTERNAL_ONLY } from "@svc/agent/edge/certificates/certificate-policy.ts";
import { createProxy } from "@svc/agent/edge/proxy.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestEdge, type TestEdge } from "../../support/platform/edge.ts";
import { keepLogged } from "../../support/tools/logged.ts";

let edge: TestEdge;
const { log, logged } = keepLogged();
const errors = () => logged.filter(({ level }) => level === "error").map(({ text }) => text);
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  logged.length = 0;
  edge = await startTestEdge({ log });
});
afterEach(async () => {
  await edge.cleanUp();
  for (const close of closing.splice(0)) await close();
});

/** The socket that listens for HTTP/3, by its inode: column 2 is address:port in hexadecimal, 10 the inode (proc(5)). */
async function listener(): Promise<string | undefined> {
  const tables = await Promise.all(
    ["udp", "udp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const port = edge.httpsPort.toString(16).toUpperCase().padStart(4, "0");
  return rows.find((row) => row[1]?.endsWith(`:${port}`))?.[9];
}

it("is served from the first certificate policy on, also by a proxy that is started again", async () => {
  expect(await listener()).toBeUndefined();
  await edge.proxy.setCertificatePolicy(INTERNAL_ONLY);
  expect(await listener()).toMatch(/^[0-9]+$/);
  await edge.proxy.shutDown();
  expect(await listener()).toBeUndefined();
  await createProxy(edge.options).ensureRunning();
  expect(await listener()).toMatch(/^[0-9]+$/);
  expect(errors()).toEqual([]);
});

it("another configuration has a listener of its own, since the former one keeps its certificates, or says that it has none", async () => {
  await edge.proxy.setCertificatePolicy(INTERNAL_ONLY);
  const former = await listener();
  await createProxy({ ...edge.options, upstreamCacheMs: 150 }).ensureRunning();
  const now = await listener();
  // On a busy host Caddy may lose it; then it must be said, and what is left of the former one serves nobody.
  if (errors().length > 0) expect(errors()).toEqual([expect.stringMatching(LOST)]);
  else expect([now, now === former]).toEqual([expect.stringMatching(/^[0-9]+$/), false]);
});

const LOST = /not over HTTP\/3 until the proxy \(Caddy\) is restarted/;

/** Answers as Caddy 2.6 does after it was slow to end a listener: no later one is served. */
async function startStuckCaddy(socketPath: string, running: unknown): Promise<{ loaded: string[][] }> {
  let config = running;
  const loaded: string[][] = [];
  const server = createServer((req, res) => {
    void textOf(req).then((body) => {
      if (req.url === "/load") {
        config = JSON.parse(body);
        loaded.push(protocolsOf(config));
      }
      if (req.url === "/config/") return res.end(JSON.stringify(config));
      if (req.url === "/pki/ca/local") return res.end(JSON.stringify({ root_certificate: "" }));
      res.end(req.url?.startsWith("/debug/pprof/") ? "goroutine profile: total 1" : "");
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { loaded };
}

function protocolsOf(config: unknown): string[] {
  return (config as { apps: { http: { servers: { svc_https: { protocols: string[] } } } } }).apps.http.servers.svc_https
    .protocols;
}

it("a Caddy that lost it goes on without, which is said once, and not tried again until Caddy is started", async () => {
  await edge.proxy.setCertificatePolicy(INTERNAL_ONLY);
  const running: unknown = JSON.parse(await readFile(join(edge.dataDirectory, "caddy/config.json"), "utf8"));
  const adminSocket = join(edge.dataDirectory, "stuck.sock");
  const { loaded } = await startStuckCaddy(adminSocket, running);
  const proxy = createProxy({ ...edge.options, adminSocket });
  await proxy.ensureRunning();
  expect(loaded).toEqual([
    ["h1", "h2", "h3"],
    ["h1", "h2"],
  ]);
  expect(errors()).toEqual([expect.stringMatching(LOST)]);
  await proxy.ensureRunning();
  // Another agent knows as well.
  await createProxy({ ...edge.options, adminSocket }).ensureRunning();
  expect(loaded).toHaveLength(2);
  expect(errors()).toHaveLength(1);
});
