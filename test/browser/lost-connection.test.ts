import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { addLiveRelease, ScriptedApps } from "../support/api/scripted-apps.ts";
import { addPersonWithKey, expectText, press } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { startStallingLine, type StallingLine } from "../support/people/stalling-line.ts";

/** The promise of every page: it says within this time what has changed. */
const WITHIN = { timeout: 10_000 };

let world: PagesWorld;
let line: StallingLine;
let page: Page;
let cookie: string;
const agent = new ScriptedApps();

beforeAll(async () => {
  world = await startPagesWorld();
  line = await startStallingLine(world.url);
  const { page: first, caller } = await addPersonWithKey(world);
  const [session] = await first.context().cookies();
  cookie = `${session!.name}=${session!.value}`;
  const serverId = await world.http.addServer("berlin");
  world.http.links.clients.set(serverId, agent.client());
  await caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
  await addLiveRelease(world.http.parts, { name: "shop", userId: caller.userId, serverId });
});
beforeEach(async () => {
  page = await world.openFreshBrowser(cookie);
});
afterEach(() => page.context().close());
afterAll(async () => {
  await line?.close();
  await world?.stop();
});

const linesShown = async () =>
  (await page.locator(".log-space > div").allInnerTexts())
    .filter((text) => text !== "")
    .map((text) => text.slice(text.indexOf(" ") + 1));

test("a live log whose connection died without an end says so, and goes on where it stopped", async () => {
  agent.log = ["before"];
  await page.goto(`${line.url}/apps/shop/logs`);
  await expect.poll(linesShown).toEqual(["before"]);
  line.stall();
  agent.write("meanwhile");
  // Only time tells that a connection has died: 25 s, in which nothing comes.
  await expect.poll(linesShown, { timeout: 50_000 }).toEqual(["before", "meanwhile"]);
});

test("the log of the next container is shown from its beginning, though it is older than the former's last line", async () => {
  agent.log = ["the former's last line"];
  await page.goto(`${world.url}/apps/shop/logs`);
  await expect.poll(linesShown).toEqual(agent.log);
  const former = agent.log;
  agent.log = ["the next one's first line", "its second"];
  agent.end();
  const marked = "next container's last 500 lines, or all]";
  await expect.poll(linesShown, WITHIN).toEqual([...former, marked, ...agent.log]);
});

test("a page says within 10 s that the service does not answer, and shows what is when it does", async () => {
  await page.goto(world.url);
  await expectText(page, "running");
  const apps = /\/api\/apps$/;
  await page.route(apps, () => undefined);
  const sentence = page.getByText("The service does not answer. What is shown may be old.");
  await sentence.waitFor(WITHIN);
  await page.unroute(apps, undefined);
  await sentence.waitFor({ state: "hidden" });
  await expectText(page, "running");
});

test.for([
  ["who is signed in", "**/auth/session"],
  ["what it shows", "**/auth/keys"],
] as const)("a page that could not read %s comes up by itself when the service is back", async ([, path]) => {
  const fault = { status: 500, json: { error: "internal", request_id: "r-1" } };
  await page.route(path, (route) => route.fulfill(fault));
  await page.goto(`${world.url}/settings/keys`);
  await expectText(page, /request r-1/);
  await page.unroute(path);
  await page.getByRole("table").waitFor(WITHIN);
});

test.for(["first loaded", "loaded again"])(
  "a page whose script was broken off as it was %s comes up by itself",
  async (when) => {
    const isAgain = when === "loaded again";
    if (isAgain) await page.goto(`${world.url}/settings/keys`);
    await page.route("**/assets/keys-*.js", (route) => route.abort("internetdisconnected"), { times: 1 });
    await (isAgain ? page.reload() : page.goto(`${world.url}/settings/keys`));
    await page.getByRole("table").waitFor(WITHIN);
    expect(await page.getByText("This page did not load completely.").count()).toBe(0);
  },
);

test("a page without its style keeps what somebody writes into it", async () => {
  await page.route("**/assets/*.css", (route) => route.abort(), { times: 1 });
  const reloads: string[] = [];
  await page.goto(`${world.url}/settings/keys`);
  page.on("framenavigated", (frame) => reloads.push(frame.url()));
  await page.getByLabel("Name").first().fill("laptop");
  // Longer than a page waits before it is loaded again.
  await page.clock.install();
  await page.clock.runFor(5_000);
  expect(reloads).toEqual([]);
  expect(await page.getByLabel("Name").first().inputValue()).toBe("laptop");
});

test("a page whose service went away as it was loaded keeps the sentence that says so", async () => {
  await page.route("**/assets/keys-*.js", async (route) => {
    await page.route(`${world.url}/**`, (other) => other.abort("connectionrefused"));
    await route.abort("connectionrefused");
  });
  await page.goto(`${world.url}/settings/keys`);
  await page.getByText("This page did not load completely.").waitFor(WITHIN);
  expect(page.url()).toBe(`${world.url}/settings/keys`);
});

test("a page whose scripts do not come says so within 10 s, and asks for them no more than twice", async () => {
  let asked = 0;
  await page.route("**/assets/keys-*.js", (route) => {
    asked++;
    return route.abort();
  });
  await page.goto(`${world.url}/settings/keys`);
  await page.getByText("This page did not load completely.").waitFor(WITHIN);
  expect(asked).toBe(2);
  await page.unroute("**/assets/keys-*.js");
  await page.reload();
  await page.getByRole("table").waitFor();
  expect(await page.getByText("This page did not load completely.").count()).toBe(0);
});

test("one press makes one key, whose request a browser may send again by itself; the next press makes another", async () => {
  await page.goto(`${world.url}/settings/keys`);
  const made: Record<string, string>[] = [];
  for (const name of ["one", "two"]) {
    const asked = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/auth/keys"));
    await page.getByLabel("Name").first().fill(name);
    await press(page, "Make the key");
    made.push(await (await asked).allHeaders());
    await page.getByRole("table").getByText(name, { exact: true }).waitFor();
  }
  const [first, second] = made.map((headers) => headers["idempotency-key"]);
  expect(first).not.toBe(second);
  const again = (path: string, method: string, body: object) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": first };
    const sent = JSON.stringify({ method, headers, body: JSON.stringify(body) });
    return page.evaluate(
      `fetch(${JSON.stringify(path)}, ${sent}).then(async (answer) => [answer.status, await answer.json()])`,
    );
  };
  const refusal = [409, expect.objectContaining({ error: "idempotency_key_in_progress" })];
  expect(await again("/auth/keys", "POST", { name: "three" })).toEqual(refusal);
  const variables = { env: { GREETING: "hello" } };
  const [status] = (await again("/api/apps/shop/env", "PUT", variables)) as [number];
  expect(status).toBe(200);
  expect(await again("/api/apps/shop/env", "PUT", variables)).toEqual(refusal);
  const names = "select name from api_keys where name in ('one', 'two', 'three') order by name";
  expect((await world.http.database.query(names)).rows).toEqual([{ name: "one" }, { name: "two" }]);
});
