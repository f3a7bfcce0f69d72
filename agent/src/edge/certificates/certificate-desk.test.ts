import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serializePolicy } from "./certificate-policy.ts";
import type { Route } from "../routes.ts";
import { createCertificateDesk, parseEvent, type CertificateDesk } from "./certificate-desk.ts";

const failed = (host: string): string =>
  JSON.stringify({
    level: "error",
    logger: "tls.obtain",
    msg: "could not get certificate from issuer",
    identifier: host,
    issuer: "ca.example.com-dir",
    error: "HTTP 400 urn:ietf:params:acme:error:dns - no such name",
  });

describe("the proxy's log", () => {
  it("tells of a failed order and of a certificate", () => {
    expect(parseEvent(failed("a.test"))).toEqual({ host: "a.test", failure: expect.stringContaining("no such name") });
    const obtained = { logger: "tls.obtain", msg: "certificate obtained successfully", identifier: "a.test" };
    expect(parseEvent(JSON.stringify(obtained))).toEqual({ host: "a.test", failure: undefined });
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    JSON.stringify({ logger: "tls.obtain", msg: "could not get certificate from issuer" }),
    JSON.stringify({ logger: "tls.renew", msg: "could not get certificate from issuer", identifier: "a.test" }),
    JSON.stringify({ logger: "tls.obtain", msg: "acquiring lock", identifier: "a.test" }),
  ])("says nothing with %j", (line) => expect(parseEvent(line)).toBeUndefined());
});

describe("permission", () => {
  let dataDirectory: string;
  let desk: CertificateDesk;
  const routes = new Map<string, Route>();

  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "desk-"));
    await mkdir(join(dataDirectory, "caddy"));
    const acme = { directory: "https://ca.example.com/dir", caPem: "", email: "" };
    const policy = serializePolicy({ acme, internalDomains: ["localhost"], own: undefined });
    await writeFile(join(dataDirectory, "certificate-policy.json"), policy);
    const to = { appId: "1", containerId: "c", upstream: "10.0.0.2:80", state: "serving" } as const;
    for (const host of ["a.test", "a.localhost"]) routes.set(host, { host, ...to });
    routes.set("pending.test", { host: "pending.test", ...to, pending: true });
    desk = createCertificateDesk({ dataDirectory, lookUp: (host) => routes.get(host), log: () => undefined });
  });
  // The desk may still write in the background.
  afterEach(() => rm(dataDirectory, { recursive: true, maxRetries: 10, retryDelay: 20 }));

  it("is given for routed names whose address leads here, and for internal ones", () => {
    const names = ["a.test", "a.localhost", "proxy.svc.internal", "pending.test", "stranger.test", ""];
    expect(names.map((name) => desk.mayHave(name))).toEqual([true, true, true, false, false, false]);
  });

  it("waits after a failed order, for that name alone, and not for internal ones", () => {
    expect(desk.mayHave("a.test")).toBe(true);
    desk.hear(failed("a.test"));
    desk.hear(failed("a.localhost"));
    expect(desk.mayHave("a.test")).toBe(false);
    expect(desk.mayHave("a.localhost")).toBe(true);
    expect(desk.describe("a.test")).toEqual({
      failure: expect.stringContaining("no such name"),
      nextOrderAt: expect.any(String),
    });
  });

  it("is shared out: one owner's custom domains keep neither another's nor any subdomain waiting", async () => {
    const add = (host: string, ownerId: string, more: Partial<Route> = {}): string => {
      const to = { appId: ownerId, containerId: "c", upstream: "10.0.0.2:80", state: "serving" } as const;
      routes.set(host, { host, ownerId, ...to, ...more });
      return host;
    };
    const names = Array.from({ length: 8 }, (_, i) => add(`${i}.eve.test`, "eve"));
    expect(names.map((name) => desk.mayHave(name))).toEqual([true, true, true, true, true, true, false, false]);
    expect(desk.describe("7.eve.test")).toEqual({
      usedUp: "the share of one owner for custom domains, 6 certificates an hour, is used up",
      nextOrderAt: expect.any(String),
    });
    expect(desk.mayHave(add("shop.ada.test", "ada"))).toBe(true);
    expect(desk.mayHave(add("eve.apps.test", "eve", { subdomain: true }))).toBe(true);
  });

  it("goes on with what a name server that knew no owners has ordered", async () => {
    const orders = Array.from({ length: 48 }, () => Date.now() - 1_000);
    const issuance = { authority: "ca.example.com-dir", hosts: {}, orders };
    await writeFile(join(dataDirectory, "issuance.json"), JSON.stringify(issuance));
    desk = createCertificateDesk({ dataDirectory, lookUp: (host) => routes.get(host), log: () => undefined });
    const old = (host: string): string => {
      routes.set(host, { host, appId: host, containerId: "c", upstream: "10.0.0.2:80", state: "serving" });
      return host;
    };
    expect(["b.test", "c.test", "d.test"].map((host) => desk.mayHave(old(host)))).toEqual([true, true, false]);
  });
});
