import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { makeServerCertificates } from "../support/doubles/certificates.ts";
import { startBrowser } from "../support/platform/browser.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { Pebble } from "../support/doubles/pebble.ts";
import { fetchThroughProxy, type Platform } from "../support/platform/platform.ts";
import { servesHttp3 } from "../support/platform/serves-http3.ts";
import { startPlatformWithAcme, type PlatformWithAcme } from "../support/platform/platform-with-acme.ts";
import { promise } from "../support/promises/promise.ts";

/** Domains of a user's own, from their proof to requests with certificates of a real ACME authority. */
const DOMAIN = "shop.example.com";
/** The operator has a certificate for it. */
const OWN_DOMAIN = "own.example.com";
/** The proxy's error when it has no certificate for a name and may not order one. */
const REFUSED = /alert internal error/;
let pebble: Pebble;
let setup: PlatformWithAcme;
let platform: Platform;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-domain-"));
  const own = makeServerCertificates([OWN_DOMAIN], "own authority");
  writeFileSync(join(directory, "own.pem"), own.cert);
  writeFileSync(join(directory, "own-key.pem"), own.key);
  const controlPlane = {
    SVC_ACME_EMAIL: "ops@example.com",
    SVC_APPS_CERT_FILE: join(directory, "own.pem"),
    SVC_APPS_KEY_FILE: join(directory, "own-key.pem"),
  };
  setup = await startPlatformWithAcme({ controlPlane }, own.caPem);
  pebble = setup.pebble;
  platform = setup.platform;
  await setup.createApp("shop", nodeApp("return `${req.headers.host} ${process.env.SVC_RELEASE}`"));
  expect((await platform.deploy("shop")).deploy.status).toBe("success");
});
afterAll(async () => {
  await setup?.stop();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

const get = (host = DOMAIN, ca = pebble.rootPem) =>
  fetchThroughProxy({ host, port: platform.httpsPort, path: "/", ca });

const add = (domain: string, app = "shop") => platform.api("POST", `/api/apps/${app}/domains`, { domain });

const stateOf = async (domain: string) =>
  (await platform.api("GET", `/api/apps/shop/domains/${domain}`)).body as {
    status: string;
    missing?: { part: string; detail: string }[];
  };

async function attach(domain: string, app?: string): Promise<void> {
  const { txt_record: record, txt_value: value } = (await add(domain, app)).body as {
    txt_record: string;
    txt_value: string;
  };
  await pebble.setTxt(record, value);
  expect(await add(domain, app)).toMatchObject({ status: 201, body: { domain, status: "routed" } });
}

it("a domain is not verified, then routed, and orders nothing while its address does not resolve", async () => {
  expect(await add(DOMAIN)).toMatchObject({ status: 422, body: { error: "domain_not_verified" } });
  await attach(DOMAIN);
  await expect(get()).rejects.toThrow(REFUSED);
  expect(await stateOf(DOMAIN)).toEqual({
    domain: DOMAIN,
    status: "pending",
    detail: expect.stringContaining("no address"),
    missing: [
      { part: "address_record", detail: `There is no address record for ${DOMAIN} yet.` },
      { part: "certificate", detail: expect.stringContaining("as soon as the address record") },
    ],
  });
  expect(pebble.orderCount()).toBe(0);
});

it("a domain is active within 10 s of its record resolving, by the platform's own doing", async () => {
  promise("domains", "an active domain shows its certificate's issuer, end and names");
  const from = Date.now();
  await pebble.setAddresses(DOMAIN, ["127.0.0.1"]);
  await eventually(() => readActive(DOMAIN), Boolean, {
    what: "the domain is active",
    deadlineMs: 10_000,
    intervalMs: 100,
  });
  expect(await stateOf(DOMAIN)).toEqual({
    domain: DOMAIN,
    status: "active",
    cert: {
      issuer: expect.stringMatching(/^Pebble Intermediate CA/),
      not_after: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      dns_names: [DOMAIN],
    },
  });
  expect(Date.now() - from).toBeLessThan(10_000);
  expect(pebble.orderCount()).toBe(1);
  expect(await get()).toMatchObject({ status: 200, body: `${DOMAIN}:${platform.httpsPort} v1` });
});

function passOverNetworkChange(error: Error): undefined {
  if (!error.message.includes("ERR_NETWORK_CHANGED")) throw error;
}

it("an active domain is a page without a complaint in a browser that trusts the authority", async () => {
  const browser = await startBrowser({ trusted: pebble.intermediatePem });
  try {
    // A network that another test adds or removes at that moment ends a visit, and its page shows that a little later.
    const visit = async () => {
      const page = await browser.newPage();
      const response = await page.goto(`https://${DOMAIN}:${platform.httpsPort}/`).catch(passOverNetworkChange);
      return { page, response };
    };
    const { page, response } = await eventually(visit, (visited) => visited.response !== undefined, {
      what: "the page",
    });
    expect(response?.status()).toBe(200);
    expect(await response?.securityDetails()).toMatchObject({ subjectName: DOMAIN });
    expect(await page.textContent("body")).toBe(`${DOMAIN}:${platform.httpsPort} v1`);
  } finally {
    await browser.close();
  }
});

it("is served over HTTP/3 by Caddy 2.7 or newer, and not by an older one", async () => {
  const origin = `${DOMAIN}:${platform.httpsPort}`;
  /** In a browser of its own, which has no other protocol to fall back to. */
  const visit = async () => {
    const browser = await startBrowser({ trusted: pebble.intermediatePem, http3Only: origin });
    try {
      const page = await browser.newPage();
      const response = await page.goto(`https://${origin}/`);
      const protocol = await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol");
      return { status: response?.status(), protocol, body: await page.textContent("body") };
    } catch (error) {
      return { error: String(error) };
    } finally {
      await browser.close();
    }
  };
  if (!(await servesHttp3()))
    return expect(await visit()).toEqual({ error: expect.stringContaining("ERR_") as string });
  const seen = await eventually(visit, ({ status }) => status === 200, { what: "the page", deadlineMs: 20_000 });
  expect(seen).toEqual({ status: 200, protocol: "h3", body: `${origin} v1` });
});

it("no certificate is ordered for a domain with a wrong address, or that name servers fail for or do not know", async () => {
  await pebble.setAddresses("wrong.example.com", ["127.0.0.1", "192.0.2.1"]);
  await pebble.setServfail("broken.example.com");
  for (const host of ["wrong", "broken", "nothing"]) await attach(`${host}.example.com`);
  const addressDetail = async (domain: string) =>
    (await stateOf(domain)).missing?.find(({ part }) => part === "address_record")?.detail;
  expect(await addressDetail("wrong.example.com")).toMatch(/192\.0\.2\.1/);
  expect(await addressDetail("broken.example.com")).toMatch(/could not be looked up .*ESERVFAIL/);
  expect(await addressDetail("nothing.example.com")).toMatch(/no address record/);
  await eventually(
    () => platform.database.db.selectFrom("domains").select("domain").where("active", "=", false).execute(),
    (rows) => rows.length === 3,
    { what: "all three were looked at" },
  );
  for (const host of ["wrong", "broken", "nothing"]) await expect(get(`${host}.example.com`)).rejects.toThrow(REFUSED);
  expect(pebble.orderCount()).toBe(1);
});

it("a domain becomes active when its record is corrected", async () => {
  promise("domains", "a certificate is asked for again in the background until the domain resolves");
  await pebble.setAddresses("wrong.example.com", ["127.0.0.1"]);
  await pebble.clearServfail("broken.example.com");
  await pebble.setAddresses("broken.example.com", ["127.0.0.1"]);
  for (const domain of ["wrong.example.com", "broken.example.com"]) {
    await eventually(() => readActive(domain), Boolean, { what: `${domain} is active`, deadlineMs: 12_000 });
  }
  expect(pebble.orderCount()).toBe(3);
});

it("a domain of an app whose first deploy failed becomes active, and answers 503", async () => {
  await setup.createApp("never", { ...nodeApp(""), "server.js": "process.exit(1);" });
  expect((await platform.deploy("never")).deploy.status).toBe("failed");
  await attach("never.example.com", "never");
  await pebble.setAddresses("never.example.com", ["127.0.0.1"]);
  await eventually(() => readActive("never.example.com"), Boolean, { what: "the domain is active" });
  expect((await get("never.example.com")).status).toBe(503);
  expect(pebble.orderCount()).toBe(4);
});

it("a domain needs no order where the operator has a certificate", async () => {
  await attach(OWN_DOMAIN);
  await pebble.setAddresses(OWN_DOMAIN, ["127.0.0.1"]);
  expect(await stateOf(OWN_DOMAIN)).toMatchObject({ status: "active", cert: { issuer: "own authority" } });
  expect(pebble.orderCount()).toBe(4);
});

it("no certificate is ever ordered for names below localhost", async () => {
  expect((await platform.fetchApp("shop")).issuer).toMatch(/Caddy/);
  expect(pebble.validated()).not.toContain("shop.apps.localhost");
});

it("a domain is served with its certificate while agent and control plane are stopped", async () => {
  await platform.agent.stop("SIGKILL");
  await platform.controlPlane.stop("SIGKILL");
  expect(await get()).toMatchObject({ status: 200, body: `${DOMAIN}:${platform.httpsPort} v1` });
  await platform.controlPlane.start();
  await platform.agent.start();
  expect(await get()).toMatchObject({ status: 200 });
  expect(pebble.orderCount()).toBe(4);
});

it("that leads elsewhere later is noticed and shown", async () => {
  await pebble.setAddresses("wrong.example.com", ["192.0.2.1"]);
  await platform.database.db
    .updateTable("domains")
    .set({ next_check_at: new Date() })
    .where("domain", "=", "wrong.example.com")
    .execute();
  await eventually(
    async () => (await readRow("wrong.example.com"))?.leads_here,
    (leadsHere) => leadsHere === false,
    { what: "the domain leads elsewhere", deadlineMs: 20_000 },
  );
  expect((await stateOf("wrong.example.com")).missing?.map(({ part }) => part)).toContain("address_record");
});

it("whose TXT record is gone is still served; that is noticed and shown", async () => {
  await pebble.clearTxt(`_svc-verify.${DOMAIN}`);
  await platform.database.db
    .updateTable("domains")
    .set({ next_check_at: new Date(), owner_checked_at: new Date(0) })
    .where("domain", "=", DOMAIN)
    .execute();
  await eventually(
    async () => (await readRow(DOMAIN))?.owner_proven,
    (proven) => proven === false,
    { what: "the ownership is not proven any more", deadlineMs: 20_000 },
  );
  expect(await stateOf(DOMAIN)).toMatchObject({
    status: "active",
    missing: [{ part: "txt_record", detail: expect.stringContaining(`_svc-verify.${DOMAIN}`) }],
  });
  expect(await get()).toMatchObject({ status: 200 });
});

it("a domain shows the authority's reason when no certificate comes", async () => {
  await attach("late.example.com");
  await pebble.end();
  await pebble.setAddresses("late.example.com", ["127.0.0.1"]);
  const { missing } = await eventually(
    () => stateOf("late.example.com"),
    (state) => state.missing?.some(({ detail }) => detail.startsWith("The last order failed")) ?? false,
    { what: "the order's failure is shown", deadlineMs: 40_000 },
  );
  expect(missing).toEqual([
    {
      part: "certificate",
      detail: expect.stringMatching(/connection refused.* The next one is permitted at \d{4}-.*Z\.$/),
    },
  ]);
  expect(await get()).toMatchObject({ status: 200 });
});

it("a domain survives a deploy, and its route and permission go with its removal", async () => {
  promise("domains", "a removed domain is routed no longer");
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
  const { ports } = JSON.parse(readFileSync(join(platform.agentDataDir, "name-server.json"), "utf8")) as {
    ports: { ask: number };
  };
  expect((await fetch(`http://127.0.0.1:${ports.ask}/ask?domain=${DOMAIN}`)).status).toBe(404);
  expect((await platform.fetchApp("shop")).status).toBe(200);
});

function readRow(domain: string) {
  return platform.database.db
    .selectFrom("domains")
    .select(["active", "leads_here", "owner_proven"])
    .where("domain", "=", domain)
    .executeTakeFirst();
}

/** Reads what the background check found, so that the test itself drives nothing. */
async function readActive(domain: string): Promise<boolean> {
  return (await readRow(domain))?.active ?? false;
}
