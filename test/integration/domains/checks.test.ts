import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createDomainChecks } from "@svc/control-plane/domains/check-domains.ts";
import type { DomainChecks } from "@svc/control-plane/ports.ts";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDnsDouble, type DnsDouble } from "../../support/doubles/dns-double.ts";
import { startTestEdge, type TestEdge } from "../../support/platform/edge.ts";
import { startNameServer } from "../../support/doubles/name-server.ts";

/** Whether a domain leads to a server, with a real proxy, and a name server that says what the test wants. */
let dns: DnsDouble;
let edge: TestEdge;
let rootPem: string;

beforeAll(async () => {
  dns = await startDnsDouble();
  edge = await startTestEdge();
  rootPem = (await edge.proxy.describe()).internalCaPem;
});
afterAll(async () => {
  await edge?.cleanUp();
  await dns?.stop();
});

function checks({ allowCidrs = ["127.0.0.0/8"], httpsPort = edge.httpsPort } = {}): DomainChecks {
  const outbound = createGuardedFetch({ allowCidrs, caPem: "", dnsServers: [dns.address] });
  return createDomainChecks({ dnsServers: [dns.address], outbound, caPem: "", httpsPort });
}

const ownName = "shop.apps.test";
const lookAt = (domain: string, options = {}, root = rootPem) =>
  checks(options).address(domain, { ownName, rootPem: root });

describe("a domain's address", () => {
  it("leads here when the server's own proxy answers", async () => {
    dns.names.set("here.test", { A: ["127.0.0.1"] });
    expect(await lookAt("here.test")).toEqual({ leadsHere: true });
  });

  it("does not when there is none, or name servers can't say", async () => {
    dns.names.set("nodata.test", {});
    dns.names.set("broken.test", "SERVFAIL");
    dns.names.set("silent.test", "silent");
    const none = { leadsHere: false, trouble: false, detail: expect.stringContaining("no address record") };
    expect(await lookAt("nxdomain.test")).toEqual(none);
    expect(await lookAt("nodata.test")).toEqual(none);
    for (const [name, code] of [
      ["broken.test", "ESERVFAIL"],
      ["silent.test", "ETIMEOUT"],
    ] as const) {
      expect(await lookAt(name)).toEqual({ leadsHere: false, trouble: true, detail: expect.stringContaining(code) });
    }
  });

  it("does not when one of several is another's", async () => {
    dns.names.set("half.test", { A: ["127.0.0.1", "127.0.0.9"] });
    expect(await lookAt("half.test")).toEqual({
      leadsHere: false,
      trouble: false,
      detail: expect.stringMatching(/half\.test leads to 127\.0\.0\.9, which is not the app's server/),
    });
  });

  it("does not when it is another server's proxy", async () => {
    const other = await startTestEdge();
    try {
      const { internalCaPem } = await other.proxy.describe();
      expect(await lookAt("here.test", {}, internalCaPem)).toMatchObject({ leadsHere: false });
    } finally {
      await other.cleanUp();
    }
  });

  it("does not when something listens there that is silent", async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    expect(await lookAt("here.test", { httpsPort: port })).toMatchObject({
      leadsHere: false,
      detail: expect.stringContaining("no TLS handshake within 3 s"),
    });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it("is not connected to when it is not public, unless the app's own subdomain has it", async () => {
    const guarded = { allowCidrs: [] };
    expect(await lookAt("here.test", guarded)).toMatchObject({
      leadsHere: false,
      detail: expect.stringContaining("only public addresses"),
    });
    dns.names.set(ownName, { A: ["127.0.0.1"] });
    expect(await lookAt("here.test", guarded)).toEqual({ leadsHere: true });
    dns.names.set("half.test", { A: ["127.0.0.1", "127.0.0.9"] });
    expect(await lookAt("half.test", guarded)).toMatchObject({ detail: expect.stringContaining("only public") });
    dns.names.delete(ownName);
  });

  it("is connected to only where it was checked, whatever its name server says when asked again", async () => {
    const names = await startNameServer((_name, n) => [n === 1 ? "127.0.0.9" : "127.0.0.1"]);
    let connections = 0;
    const forbidden = createServer(() => void (connections += 1)).listen(edge.httpsPort, "127.0.0.9");
    await once(forbidden, "listening");
    const dnsServers = [names.address];
    const outbound = createGuardedFetch({ allowCidrs: ["127.0.0.1/32"], caPem: "", dnsServers });
    const rebound = createDomainChecks({ dnsServers, outbound, caPem: "", httpsPort: edge.httpsPort });
    expect(await rebound.address("rebinding.test", { ownName, rootPem })).toEqual({ leadsHere: true });
    expect(connections).toBe(0);
    forbidden.close();
    await names.stop();
  });
});
