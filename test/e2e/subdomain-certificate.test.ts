import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startPlatformWithAcme, type PlatformWithAcme } from "../support/platform/platform-with-acme.ts";
import { fetchThroughProxy } from "../support/platform/platform.ts";

/** A public apps domain, whose hosts get their certificates from an ACME authority. */
const APPS_DOMAIN = "apps.example.com";
let setup: PlatformWithAcme;

beforeAll(async () => {
  setup = await startPlatformWithAcme({ controlPlane: { SVC_APPS_DOMAIN: APPS_DOMAIN } });
});
afterAll(() => setup?.stop());

it("an app's subdomain has its certificate after the deploy, before anybody visits it", async () => {
  const host = `shop.${APPS_DOMAIN}`;
  await setup.pebble.setAddresses(host, ["127.0.0.1"]);
  await setup.createApp("shop", nodeApp("return 'shop'"));
  expect((await setup.platform.deploy("shop")).deploy.status).toBe("success");
  await eventually(
    () => setup.pebble.validated(),
    (names) => names.includes(host),
    { what: "the certificate is ordered" },
  );
  const request = { host, port: setup.platform.httpsPort, path: "/", ca: setup.pebble.rootPem };
  expect(await fetchThroughProxy(request)).toMatchObject({ status: 200, body: "shop" });
});

it("a deploy does not hang on the authority", async () => {
  await setup.pebble.end();
  await setup.createApp("blog", nodeApp("return 'blog'"));
  expect((await setup.platform.deploy("blog")).deploy.status).toBe("success");
});
