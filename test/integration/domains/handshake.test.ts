import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { createDomainChecks } from "@svc/control-plane/domains/check-domains.ts";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import { startDnsDouble, type DnsDouble } from "../../support/doubles/dns-double.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

const DOMAIN = "shop.example.com";

let dns: DnsDouble;
let http: TestApi;
let ada: Caller;
let server: Server;
let port: number;

beforeAll(async () => {
  const { cert, key } = makeServerCertificates([DOMAIN]);
  server = createServer({ cert, key }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  dns = await startDnsDouble();
  const outbound = createGuardedFetch({ allowCidrs: ["127.0.0.0/8"], caPem: "", dnsServers: [dns.address] });
  const domainChecks = createDomainChecks({ dnsServers: [dns.address], outbound, caPem: "", httpsPort: port });
  http = await startTestApi({ domainChecks });
  ada = await http.addCaller();
  dns.names.set(DOMAIN, { A: ["127.0.0.1"] });
});
afterAll(async () => {
  await http?.stop();
  await dns?.stop();
  server?.close();
});

/** Returns the client's error of the same handshake. */
async function errorOfHandshake(): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, servername: DOMAIN });
  const [error] = (await once(socket, "error")) as [Error];
  return error.message;
}

test("a certificate of an unknown authority is shown as the handshake's own error", async () => {
  promise("domains", "a pending domain shows the error of the TLS handshake, unchanged");
  await ada.call("POST", "/api/apps", { name: "shop", repo_url: "https://git.example.com/app.git" });
  const { json } = await ada.call("POST", "/api/apps/shop/domains", { domain: DOMAIN });
  dns.names.set(String(json["txt_record"]), { TXT: [[String(json["txt_value"])]] });
  expect((await ada.call("POST", "/api/apps/shop/domains", { domain: DOMAIN })).status).toBe(201);
  const seen = await errorOfHandshake();
  expect(seen).toContain("certificate");
  const { status, json: state } = await ada.call("GET", `/api/apps/shop/domains/${DOMAIN}`);
  expect([status, state["status"], state["detail"]]).toEqual([200, "pending", seen]);
});
