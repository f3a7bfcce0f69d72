import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/apps.ts";
import { eventually } from "../support/eventually.ts";
import { startPebble, type Pebble } from "../support/pebble.ts";
import { fetchThroughProxy } from "../support/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";
import { freePort } from "../support/free-ports.ts";

/** A public apps domain, whose hosts get their certificates from an ACME authority. */
const APPS_DOMAIN = "apps.example.com";
let pebble: Pebble;
let setup: PlatformWithGit;
let directory: string;

beforeAll(async () => {
  const ports = { http: await freePort(), https: await freePort() };
  pebble = await startPebble({ httpPort: ports.http, httpsPort: ports.https });
  directory = mkdtempSync(join(tmpdir(), "svc-subdomain-"));
  const caFile = join(directory, "acme-ca.pem");
  writeFileSync(caFile, `${pebble.directoryCaPem}\n${pebble.rootPem}`);
  setup = await startPlatformWithGit({
    proxyPorts: ports,
    controlPlane: {
      SVC_APPS_DOMAIN: APPS_DOMAIN,
      SVC_DNS_SERVERS: pebble.dnsServer,
      SVC_ACME_DIRECTORY: pebble.directory,
      SVC_ACME_CA_FILE: caFile,
    },
  });
});
afterAll(async () => {
  await setup?.stop();
  await pebble?.stop();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

it("an app's subdomain has its certificate after the deploy, before anybody visits it", async () => {
  const host = `shop.${APPS_DOMAIN}`;
  await pebble.setAddresses(host, ["127.0.0.1"]);
  await setup.createApp("shop", nodeApp("return 'shop'"));
  expect((await setup.platform.deploy("shop")).deploy.status).toBe("success");
  await eventually(
    () => pebble.validated(),
    (names) => names.includes(host),
    { what: "the certificate is ordered" },
  );
  const request = { host, port: setup.platform.httpsPort, path: "/", ca: pebble.rootPem };
  expect(await fetchThroughProxy(request)).toMatchObject({ status: 200, body: "shop" });
});

it("a deploy does not hang on the authority", async () => {
  await pebble.end();
  await setup.createApp("blog", nodeApp("return 'blog'"));
  expect((await setup.platform.deploy("blog")).deploy.status).toBe("success");
});
