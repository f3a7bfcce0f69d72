import { describe, expect, it } from "vitest";
import { INTERNAL_ONLY } from "../certificates/certificate-policy.ts";
import { caddyConfig, type CaddySettings } from "./caddy-config.ts";
import { fieldOf } from "../local-http.ts";

const settings: CaddySettings = {
  adminSocket: "/data/caddy-admin.sock",
  stateDirectory: "/data/caddy",
  listenHost: "",
  httpPort: 80,
  httpsPort: 443,
  nameServer: { dns: 20_001, ask: 20_002, fallback: 20_003, events: 20_004 },
  probeSecret: "secret",
  certificates: { policy: INTERNAL_ONLY },
  upstreamCacheMs: 100,
  caddyVersion: [2, 6],
};

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce(fieldOf, value);
}

describe("Caddy's configuration", () => {
  it("listens where it is told, with the API on a socket that nobody else reaches", () => {
    const config = caddyConfig({ ...settings, listenHost: "127.0.0.1", httpPort: 8080, httpsPort: 8443 });
    expect(at(config, "admin", "listen")).toBe("unix//data/caddy-admin.sock");
    expect(at(config, "apps", "http", "servers", "svc_http", "listen")).toEqual(["127.0.0.1:8080"]);
    expect(at(config, "apps", "http", "servers", "svc_https", "listen")).toEqual(["127.0.0.1:8443"]);
  });

  it("serves HTTP/3 from version 2.7 on", () => {
    const protocols = (caddyVersion: [number, number]): unknown =>
      at(caddyConfig({ ...settings, caddyVersion }), "apps", "http", "servers", "svc_https", "protocols");
    expect(protocols([2, 6])).toEqual(["h1", "h2"]);
    expect(protocols([2, 7])).toEqual(["h1", "h2", "h3"]);
    expect(protocols([3, 0])).toEqual(["h1", "h2", "h3"]);
  });

  it("names the port of HTTPS in redirects only where it is not the usual one", () => {
    const redirect = (httpsPort: number): string =>
      JSON.stringify(at(caddyConfig({ ...settings, httpsPort }), "apps", "http", "servers", "svc_http"));
    expect(redirect(443)).toContain("https://{http.request.host}{http.request.uri}");
    expect(redirect(8443)).toContain("https://{http.request.host}:8443{http.request.uri}");
  });

  it("asks the name server for permission in the way of the version", () => {
    const onDemand = (caddyVersion: [number, number]): unknown =>
      at(caddyConfig({ ...settings, caddyVersion }), "apps", "tls", "automation", "on_demand");
    const endpoint = "http://127.0.0.1:20002/ask";
    expect(onDemand([2, 6])).toEqual({ ask: endpoint });
    expect(onDemand([2, 10])).toEqual({ permission: { module: "http", endpoint } });
  });

  it("puts no root into the host's trust store", () => {
    const authority = at(caddyConfig(settings), "apps", "pki", "certificate_authorities", "local");
    expect(authority).toEqual({ install_trust: false });
  });
});
