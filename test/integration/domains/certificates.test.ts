import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createProxy } from "@svc/agent/edge/proxy.ts";
import type { CertificatePolicy } from "@svc/agent/edge/certificates/certificate-policy.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import {
  getHttps,
  routeTo,
  startTestEdge,
  startUpstream,
  type TestEdge,
  type Upstream,
} from "../../support/platform/edge.ts";
import { servesHttp3 } from "../../support/platform/serves-http3.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startPebble, type Pebble } from "../../support/doubles/pebble.ts";
import { freePort } from "../../support/tools/free-ports.ts";
import { handshake } from "../../support/doubles/young-certificate.ts";

/** The real proxy, and a real ACME authority that checks what it signs. */
let edge: TestEdge;
let app: Upstream;
let pebble: Pebble | undefined;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  edge = await startTestEdge();
  app = await startUpstream("app");
});
afterEach(async () => {
  await pebble?.stop();
  pebble = undefined;
  for (const close of closing.splice(0)) await close();
  await app?.close();
  await edge?.cleanUp();
});

async function usePebble(
  changes: { httpPort?: number; httpsPort?: number; lifeSeconds?: number } = {},
): Promise<Pebble> {
  const { httpPort, httpsPort } = edge;
  pebble = await startPebble({ httpPort, httpsPort, ...changes });
  await edge.proxy.setCertificatePolicy(policyOf(pebble));
  return pebble;
}

function policyOf({ directory, directoryCaPem }: { directory: string; directoryCaPem: string }): CertificatePolicy {
  return { acme: { directory, caPem: directoryCaPem, email: "" }, internalDomains: ["localhost"], own: undefined };
}

async function route(...hosts: string[]): Promise<void> {
  await edge.proxy.setRoutes(
    "app-1",
    hosts.map((host) => routeTo(host, "app-1", app)),
  );
}

const get = (host: string, ca: string, more: object = {}) =>
  getHttps({ port: edge.httpsPort, servername: host, headers: { host }, ca, ...more });

/** Begins a handshake that nobody waits for: the proxy holds it while it orders. */
function knock(host: string): void {
  const socket = connectTls({ host: "127.0.0.1", port: edge.httpsPort, servername: host, rejectUnauthorized: false });
  socket.on("error", () => undefined);
  closing.push(async () => void socket.destroy());
}

const failureOf = (host: string) =>
  eventually(
    () => edge.proxy.certificate(host),
    ({ failure }) => failure !== "",
    { what: `an order for ${host} fails`, deadlineMs: 20_000, intervalMs: 100 },
  );

it.each([
  { challenge: "HTTP, which is not redirected", closed: "httpsPort" },
  { challenge: "TLS-ALPN", closed: "httpPort" },
])("the challenge over $challenge is enough for a certificate", async ({ closed }) => {
  const { rootPem, setAddresses } = await usePebble({ [closed]: await freePort() });
  await setAddresses("shop.test", ["127.0.0.1"]);
  await route("shop.test");
  expect(await get("shop.test", rootPem)).toMatchObject({ status: 200, body: "app" });
  const announced = (await get("shop.test", rootPem)).headers["alt-svc"];
  if (await servesHttp3()) expect(announced).toMatch(/h3=/);
  else expect(announced).toBeUndefined();
  expect(await edge.proxy.certificate("shop.test")).toEqual({
    notAfter: expect.any(Date),
    failure: "",
    usedUp: "",
    nextOrderAt: undefined,
  });
});

it("nothing is ordered for names that are not routed, lead elsewhere, or are internal", async () => {
  const { orderCount } = await usePebble();
  await edge.proxy.setRoutes("app-1", [
    { ...routeTo("elsewhere.test", "app-1", app), pending: true },
    routeTo("a.b.c.localhost", "app-1", app),
  ]);
  const { internalCaPem } = await edge.proxy.describe();
  await expect(get("elsewhere.test", "")).rejects.toThrow(/alert/);
  await expect(get("stranger.test", "")).rejects.toThrow(/alert/);
  expect(await get("a.b.c.localhost", internalCaPem)).toMatchObject({ status: 200 });
  expect(orderCount()).toBe(0);
});

it("a refused order is known with the authority's reason, and the next one waits, also after a restart", async () => {
  const { orderCount } = await usePebble();
  await route("shop.test");
  const before = Date.now();
  knock("shop.test");
  const { failure, nextOrderAt } = await failureOf("shop.test");
  expect(failure).toMatch(/urn:ietf:params:acme:error.*shop\.test/);
  expect(nextOrderAt!.getTime() - before).toBeGreaterThan(55_000);
  // One per kind of challenge, unless the first is refused for all kinds.
  const orders = orderCount();
  expect([1, 2]).toContain(orders);

  await edge.proxy.shutDown();
  await createProxy(edge.options).ensureRunning();
  await expect(get("shop.test", "")).rejects.toThrow(/alert/);
  expect(orderCount()).toBe(orders);
  expect(await edge.proxy.certificate("shop.test")).toMatchObject({ failure });
});

it("one owner's custom domains use up that owner's share, and nobody else waits for it", async () => {
  const { rootPem, setAddresses, orderCount } = await usePebble();
  const names = Array.from({ length: 7 }, (_, i) => `shop-${i}.test`);
  for (const host of [...names, "other.test"]) await setAddresses(host, ["127.0.0.1"]);
  await edge.proxy.setRoutes(
    "app-1",
    names.map((host) => ({ ...routeTo(host, "app-1", app), ownerId: "eve" })),
  );
  await edge.proxy.setRoutes("app-2", [{ ...routeTo("other.test", "app-2", app), ownerId: "ada" }]);
  const last = names.pop()!;
  for (const host of names) expect(await get(host, rootPem)).toMatchObject({ status: 200 });
  await expect(get(last, rootPem)).rejects.toThrow(/alert/);
  expect(orderCount()).toBe(names.length);
  const { failure, usedUp, nextOrderAt } = await edge.proxy.certificate(last);
  expect([failure, usedUp]).toEqual(["", expect.stringContaining("the share of one owner for custom domains")]);
  expect(nextOrderAt!.getTime() - Date.now()).toBeGreaterThan(3_000_000);
  expect(await get("other.test", rootPem)).toMatchObject({ status: 200 });
});

it("an authority that is away makes all new names wait, and takes nothing from those that have a certificate", async () => {
  const { rootPem, setAddresses, end } = await usePebble();
  await setAddresses("old.test", ["127.0.0.1"]);
  await route("old.test", "new.test", "other.test");
  expect(await get("old.test", rootPem)).toMatchObject({ status: 200 });
  await end();
  knock("new.test");
  expect((await failureOf("new.test")).failure).toMatch(/connection refused/);
  await expect(get("other.test", rootPem)).rejects.toThrow(/alert/);
  expect((await edge.proxy.certificate("other.test")).nextOrderAt).toBeInstanceOf(Date);
  expect(await get("old.test", rootPem)).toMatchObject({ status: 200 });
});

it("an authority's rate limit makes all new names wait", async () => {
  const double = await startLimitedAuthority();
  await edge.proxy.setCertificatePolicy(policyOf(double));
  await route("shop.test", "other.test");
  knock("shop.test");
  expect((await failureOf("shop.test")).failure).toMatch(/rateLimited/);
  await expect(get("other.test", "")).rejects.toThrow(/alert/);
  expect((await edge.proxy.certificate("other.test")).failure).toMatch(/rateLimited/);
});

it("policy and certificates survive a restart of everything on the host", async () => {
  const { rootPem, setAddresses, orderCount } = await usePebble();
  await setAddresses("shop.test", ["127.0.0.1"]);
  await route("shop.test");
  await get("shop.test", rootPem);
  await edge.proxy.shutDown();
  await createProxy(edge.options).ensureRunning();
  expect(await get("shop.test", rootPem)).toMatchObject({ status: 200 });
  expect(orderCount()).toBe(1);
});

it("a certificate is renewed before it ends, for names that still lead here, and no request fails meanwhile", async () => {
  const { rootPem, setAddresses, validated } = await usePebble({ lifeSeconds: 9 });
  const hosts = ["stays.test", "leaves.test"];
  for (const host of hosts) await setAddresses(host, ["127.0.0.1"]);
  await route(...hosts);
  for (const host of hosts) expect(await get(host, rootPem)).toMatchObject({ status: 200 });
  const [stays, leaves] = hosts.map((host) => routeTo(host, "app-1", app));
  await edge.proxy.setRoutes("app-1", [stays!, { ...leaves!, pending: true }]);
  const first = (await edge.proxy.certificate("stays.test")).notAfter!;
  await eventually(
    async () => {
      expect(await get("stays.test", rootPem)).toMatchObject({ status: 200 });
      await get("leaves.test", rootPem).catch(() => undefined);
      return edge.proxy.certificate("stays.test");
    },
    ({ notAfter }) => notAfter!.getTime() > first.getTime(),
    { what: "the certificate is renewed", deadlineMs: 15_000, intervalMs: 300 },
  );
  expect(validated().filter((host) => host === "leaves.test")).toHaveLength(1);
});

it("the operator's own certificate serves the names that it has, also when it is replaced; no order is made", async () => {
  const { directory, directoryCaPem, orderCount } = await usePebble();
  await route("shop.apps.test");
  for (const name of ["first", "second"]) {
    const { cert, key, caPem } = makeServerCertificates([name, "*.apps.test"]);
    const own = { certificatePem: cert, keyPem: key };
    await edge.proxy.setCertificatePolicy({ ...policyOf({ directory, directoryCaPem }), own });
    expect(await get("shop.apps.test", caPem)).toMatchObject({ status: 200, body: "app" });
  }
  const files = await readdir(join(edge.dataDirectory, "caddy"));
  expect(files.filter((file) => file.startsWith("own-key-"))).toHaveLength(1);
  expect(orderCount()).toBe(0);
});

it("a policy that is the same again drops no connection", async () => {
  const double = policyOf({ directory: "https://127.0.0.1:1/dir", directoryCaPem: "" });
  await edge.proxy.setCertificatePolicy(double);
  await route("shop.localhost");
  const { internalCaPem: ca } = await edge.proxy.describe();
  await handshake({ host: "shop.localhost", port: edge.httpsPort, ca });
  const socket = connectTls({ host: "127.0.0.1", port: edge.httpsPort, servername: "shop.localhost", ca });
  await once(socket, "secureConnect");
  const request = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
  socket.write(request);
  await once(socket, "data");
  await edge.proxy.setCertificatePolicy(double);
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("200 OK");
  socket.destroy();
});

/** An authority that knows its protocol as far as it takes to say that there were too many orders. */
async function startLimitedAuthority(): Promise<{ directory: string; directoryCaPem: string }> {
  const { cert, key, caPem } = makeServerCertificates();
  const server: Server = createServer({ cert, key }, (req, res) => {
    req.resume();
    const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    res.setHeader("replay-nonce", "bm9uY2U");
    res.setHeader("content-type", "application/json");
    const directory = { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };
    if (req.url === "/dir") return void res.end(JSON.stringify(directory));
    if (req.url === "/nonce") return void res.end();
    if (req.url === "/account") {
      res.writeHead(201, { location: `${base}/account/1` });
      return void res.end(JSON.stringify({ status: "valid" }));
    }
    res.writeHead(429, { "content-type": "application/problem+json", "retry-after": "3600" });
    res.end(JSON.stringify({ type: "urn:ietf:params:acme:error:rateLimited", detail: "too many new orders" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { directory: `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir`, directoryCaPem: caPem };
}
