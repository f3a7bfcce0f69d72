import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OpenApiDocument } from "../support/api/described-answers.ts";
import { startBrowser } from "../support/platform/browser.ts";
import { startSvcWorld, type SvcWorld } from "../support/svc/svc-world.ts";

/** A busy machine needs this long to render the page. */
const PATIENCE_MS = 120_000;

let world: SvcWorld;
let browser: Browser;
let page: Page;
/** The page's requests, each with its method. */
const requests: string[] = [];
/** Errors and warnings of the page, and what its policy forbade. */
const complaints: string[] = [];

beforeAll(async () => {
  [world, browser] = await Promise.all([startSvcWorld(), startBrowser()]);
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => complaints.push(...(message.type() === "info" ? [] : [message.text()])));
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (event) => console.error(event.violatedDirective, event.blockedURI))',
  );
  await page.goto(`${world.url}/api/docs`);
  await page.getByRole("button", { name: "Test Request" }).first().waitFor();
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

test("the API reference shows every operation of the OpenAPI document", async () => {
  const document = (await (await fetch(`${world.url}/api/openapi.json`)).json()) as OpenApiDocument;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const shown = await page.locator("aside").innerText();
  expect(operations.filter(({ summary = "" }) => !shown.includes(summary))).toEqual([]);
});

test("the API reference loads nothing but the page, its script and the document, from this service", () => {
  const paths = ["/api/docs", "/api/docs/viewer.js", "/api/openapi.json"];
  expect(requests).toEqual(paths.map((path) => `GET ${world.url}${path}`));
  expect(complaints).toEqual([]);
});

test("a request tried from the API reference carries the key that was entered and the document's example", async () => {
  await page.getByPlaceholder("Token").first().fill(world.caller.key);
  await page.getByRole("button", { name: /Test Request.*post \/api\/apps\b/i }).click();
  await page.getByRole("button", { name: /^Send/ }).first().click();
  await expect.poll(() => requests, { timeout: PATIENCE_MS }).toContain(`POST ${world.url}/api/apps`);
  await expect
    .poll(async () => (await world.caller.call("GET", "/api/apps/hello")).json, { timeout: PATIENCE_MS })
    .toMatchObject({ app: { git_repo: "https://github.com/you/hello" } });
  expect(requests.filter((request) => !request.includes(` ${world.url}/`))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("a browser that has the viewer's script is not sent it again", async () => {
  const url = `${world.url}/api/docs/viewer.js`;
  const first = await fetch(url);
  expect((await first.text()).length).toBeGreaterThan(100_000);
  const again = await fetch(url, { headers: { "If-None-Match": first.headers.get("ETag")! } });
  expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
});

test("the API reference may load nothing from another host, and run no script but its own", async () => {
  const answers = await Promise.all([1, 2].map(() => fetch(`${world.url}/api/docs`)));
  const policies = answers.map(({ headers }) => headers.get("Content-Security-Policy")!);
  expect(policies[0]).not.toBe(policies[1]);
  expect(policies[0]!.replace(/'nonce-[^']{22,}'/, "'nonce'").split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'nonce'",
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});
