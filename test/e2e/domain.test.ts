import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/apps.ts";
import { startDnsDouble, type DnsDouble } from "../support/dns-double.ts";
import { eventually } from "../support/eventually.ts";
import { fetchThroughProxy, type Platform } from "../support/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";

/** A domain of a user's own, from its proof to requests through the real proxy. */
const DOMAIN = "shop.example.com";
let dns: DnsDouble;
let setup: PlatformWithGit;
let platform: Platform;
let directory: string;

beforeAll(async () => {
  dns = await startDnsDouble();
  directory = mkdtempSync(join(tmpdir(), "svc-domain-"));
  const caFile = join(directory, "acme-ca.pem");
  writeFileSync(caFile, rootCertificates[0]!);
  setup = await startPlatformWithGit({
    controlPlane: { SVC_DNS_SERVERS: dns.address, SVC_ACME_CA_FILE: caFile },
  });
  platform = setup.platform;
  // The proxy's own authority is known only now; the control plane reads the file when it starts.
  copyFileSync(join(platform.agentDataDir, "internal-ca.pem"), caFile);
  await platform.controlPlane.stop();
  await platform.controlPlane.start();
  await eventually(
    () => platform.admin("server", "list"),
    (text) => text.includes("linked"),
    { what: "the agent is linked again", deadlineMs: 30_000 },
  );
  await setup.createApp("shop", nodeApp("return `${req.headers.host} ${process.env.SVC_RELEASE}`"));
  expect((await platform.deploy("shop")).deploy.status).toBe("success");
});
afterAll(async () => {
  await setup?.stop();
  await dns?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const get = () =>
  fetchThroughProxy({
    host: DOMAIN,
    port: platform.httpsPort,
    path: "/",
    ca: readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8"),
  });

it("answers at once when it is added to an app that runs", async () => {
  const asked = await platform.api("POST", "/api/apps/shop/domains", { domain: DOMAIN });
  const { txt_record: record, txt_value: value } = asked.body as { txt_record: string; txt_value: string };
  dns.names.set(record, { TXT: [[value]] });
  expect(await platform.api("POST", "/api/apps/shop/domains", { domain: DOMAIN })).toMatchObject({
    status: 201,
    body: { domain: DOMAIN, status: "routed" },
  });
  expect(await get()).toMatchObject({ status: 200, body: `${DOMAIN}:${platform.httpsPort} v1` });
});

it("is pending until its address leads here, then active with its certificate", async () => {
  const path = `/api/apps/shop/domains/${DOMAIN}`;
  expect((await platform.api("GET", path)).body).toMatchObject({ domain: DOMAIN, status: "pending" });
  dns.names.set(DOMAIN, { A: ["127.0.0.1"] });
  expect((await platform.api("GET", path)).body).toEqual({
    domain: DOMAIN,
    status: "active",
    cert: {
      issuer: expect.stringMatching(/Caddy/),
      not_after: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      dns_names: [DOMAIN],
    },
  });
});

it("survives a deploy, and goes with its removal", async () => {
  expect((await platform.deploy("shop")).deploy.status).toBe("success");
  expect(await get()).toMatchObject({ status: 200, body: `${DOMAIN}:${platform.httpsPort} v2` });
  expect((await platform.api("DELETE", `/api/apps/shop/domains/${DOMAIN}`)).status).toBe(204);
  await eventually(
    () =>
      get().then(
        ({ status }) => status,
        () => "refused",
      ),
    (status) => status === 404 || status === "refused",
    { what: "the domain is served no more" },
  );
  expect((await platform.fetchApp("shop")).status).toBe(200);
});
