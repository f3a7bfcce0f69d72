import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { DomainChecks } from "@svc/control-plane/ports.ts";
import { addDeploy } from "../support/api/pipeline.ts";
import { addLiveRelease, ScriptedApps } from "../support/api/scripted-apps.ts";
import type { Caller } from "../support/api/http.ts";
import { addPersonWithKey } from "../support/people/on-page.ts";
import { hearOf, HOST_STATUS } from "../support/people/operator.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { untilShown } from "../support/pictures/until-shown.ts";

/** The promise of every page: it says within this time what has changed. */
const WITHIN = { timeout: 10_000 };

const DOMAIN = "shop.example.org";

let world: PagesWorld;
let page: Page;
let pages: Page[];
let cookie: string;
let caller: Caller;
let serverId: string;
let certificateEnds: Date;

/** The domain leads to the app, with a certificate that ends when a test says. */
const domainChecks: DomainChecks = {
  txt: async () => ({ values: [] }),
  address: async () => ({ leadsHere: true }),
  handshake: async (domain) => ({
    cert: { issuer: "Test Authority", notAfter: certificateEnds, dnsNames: [domain] },
  }),
};

beforeAll(async () => {
  world = await startPagesWorld({ domainChecks });
  ({ page, caller } = await addPersonWithKey(world));
  pages = [page];
  cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("");
  await query("update users set is_operator = true, tier = 'team' where id = $1", [caller.userId]);
  serverId = await world.http.addServer("berlin");
  // An agent that gives logs.
  world.http.links.clients.set(serverId, new ScriptedApps().client());
  await addApp("shop");
  await addLiveRelease(world.http.parts, { name: "shop", userId: caller.userId, serverId });
  await query(
    "insert into domains (domain, app_id, leads_here, active, owner_proven) select $1, id, true, true, true from apps where name = 'shop'",
    [DOMAIN],
  );
  await makeWell();
});
afterEach(() => makeWell());
afterAll(() => world?.stop());

const query = (text: string, values: readonly unknown[] = []) => world.http.database.query(text, [...values]);

/** All runs, and the agent goes on being heard of for longer than a test takes. */
async function makeWell(): Promise<void> {
  certificateEnds = new Date(Date.now() + 80 * 86_400_000);
  await hearOf(world.http, serverId);
  await query("update server_hearings set heard_at = now() + interval '1 hour'");
  await query("update servers set state = 'active'");
  await query("update deploys set status = 'canceled', finished_at = now() where finished_at is null");
  await query("update apps set status = 'running', platform_stop = null, platform_stop_holds = false, health = $1", [
    JSON.stringify({ state: "healthy", reason: null, since: new Date().toISOString() }),
  ]);
}

async function addApp(name: string): Promise<{ id: string; userId: string }> {
  const { json } = await caller.call("POST", "/api/apps", { name, repo_url: `https://git.example.com/ada/${name}` });
  return { id: (json["app"] as { id: string }).id, userId: caller.userId };
}

/** Opens the pages while all is well, lets `happen`, and waits for what each says then. */
async function expectToSay(paths: readonly string[], happen: () => Promise<unknown>, sentence: RegExp): Promise<void> {
  while (pages.length < paths.length) pages.push(await world.openBrowser(cookie));
  const visits = paths.map((path, i) => ({ path, visited: pages[i]! }));
  for (const { path, visited } of visits) {
    await visited.goto(world.url + path);
    await untilShown(visited);
    expect(await visited.getByText(sentence).count(), `${path} before`).toBe(0);
  }
  await happen();
  await Promise.all(visits.map(({ visited }) => visited.getByText(sentence).first().waitFor(WITHIN)));
}

const expectSaid = (text: RegExp): Promise<void> => page.getByText(text).first().waitFor(WITHIN);

const TABS = ["deploys", "env", "domains", "logs", "metrics", "webhooks", "settings"].map((tab) => `/apps/shop/${tab}`);

describe("an app that crashes is shown as broken within 10 s", () => {
  const crash = () =>
    query("update apps set health = $1 where name = 'shop'", [
      JSON.stringify({ state: "unhealthy", reason: "crash_loop", since: new Date().toISOString() }),
    ]);

  test("in the list of apps, and as well again when it is", async () => {
    await expectToSay(["/"], crash, /^unhealthy: it ends again and again$/);
    await makeWell();
    await page.getByRole("cell", { name: "running", exact: true }).waitFor(WITHIN);
  });

  test("on each of the app's pages", () =>
    expectToSay(["/apps/shop", ...TABS], crash, /^The app is unhealthy: it ends again and again/));
});

test("an app that the platform stops is shown with the reason within 10 s", async () => {
  const stop = { reason: "disk_limit", detail: "The app shop was stopped: its files grew.", at: new Date() };
  const happen = () =>
    query("update apps set status = 'stopped', platform_stop = $1, platform_stop_holds = true where name = 'shop'", [
      JSON.stringify(stop),
    ]);
  await expectToSay(["/", "/apps/shop", ...TABS], happen, /^The app shop was stopped: its files grew\.$/);
});

describe("an agent that is heard of no more is told within 10 s", () => {
  const lose = () => query("update server_hearings set heard_at = now() - interval '11 seconds'");

  test("on the overview and in the list of apps", () =>
    expectToSay(["/", "/apps/shop"], lose, /its server can't be reached/));

  test("on the app's other pages", () => expectToSay(TABS, lose, /^The app's server can't be reached since/));

  test("on the page of a deploy that runs", async () => {
    const deploy = await addDeploy(world.http.parts.db, await addApp("begun"), serverId);
    await query("update deploys set status = 'running', started_at = now() where id = $1", [deploy]);
    await expectToSay(
      [`/apps/begun/deploys/${deploy}`],
      lose,
      /waits since \d{4}-.*The server berlin can't be reached/,
    );
  });
});

describe("a certificate that was not renewed is told within 10 s", () => {
  const domainEnds = (inHours: number) => async () =>
    void (certificateEnds = new Date(Date.now() + inHours * 3_600_000));
  const agentEnds = (inHours: number) => () =>
    query("update servers set certificate_until = now() + $1 * interval '1 hour'", [inHours]);

  test("by a domain's, when it has expired", () =>
    expectToSay(
      ["/apps/shop/domains"],
      domainEnds(-1),
      /^Its certificate has expired: browsers refuse it since \d{4}-/,
    ));

  test("by a domain's, when it is about to end", () =>
    expectToSay(["/apps/shop/domains"], domainEnds(1), /^Its certificate ends soon, at \d{4}-/));

  test("by an agent's, on its server's page, when it has expired", () =>
    expectToSay(
      ["/servers/berlin"],
      agentEnds(-1),
      /^The certificate of its agent has expired at \d{4}-.* server token --for berlin\./,
    ));

  test("by an agent's, on its server's page, when it is about to end", () =>
    expectToSay(["/servers/berlin"], agentEnds(24), /^The certificate of its agent ends at \d{4}-/));

  test("by an agent's, in the list of servers", () => expectToSay(["/servers"], agentEnds(-1), /^expired \d{4}-/));
});

describe("a deploy that waits is told, with the reason and since when, within 10 s", () => {
  let apps = 0;
  /** An app with a deploy, which waits behind another one that has held the server for an hour. */
  async function addQueue(): Promise<{ name: string; deploy: string }> {
    const ahead = await addDeploy(world.http.parts.db, await addApp(`ahead${++apps}`), serverId);
    const began = "now() - interval '1 hour'";
    await query(`update deploys set status = 'running', started_at = ${began} where id = $1`, [ahead]);
    const lock = { holder: { deployId: ahead }, takenAt: new Date(Date.now() - 3_600_000).toISOString() };
    await hearOf(world.http, serverId, { ...HOST_STATUS, lock });
    await query("update server_hearings set heard_at = now() + interval '1 hour'");
    const name = `behind${apps}`;
    const deploy = await addDeploy(world.http.parts.db, await addApp(name), serverId);
    await query(`update deploys set created_at = ${began} where id = $1`, [deploy]);
    return { name, deploy };
  }
  const AHEAD = /waits since \d{4}-.*The deploy of the app ahead\d+ on the same server comes first/;
  const AWAY = /waits since \d{4}-.*The server berlin can't be reached/;
  const DRAINED = /waits since \d{4}-.*Every server is drained/;

  test("on the app's overview, its list of deploys and the deploy's page, as the reason changes", async () => {
    const { name, deploy } = await addQueue();
    for (const path of ["", "/deploys", `/deploys/${deploy}`]) {
      await page.goto(`${world.url}/apps/${name}${path}`);
      await expectSaid(AHEAD);
      await query("update server_hearings set heard_at = now() - interval '11 seconds'");
      await expectSaid(AWAY);
      await query("update servers set state = 'draining'");
      await query("update deploys set server_id = null where id = $1", [deploy]);
      await expectSaid(DRAINED);
      await query("update servers set state = 'active'");
      await query("update deploys set server_id = $2 where id = $1", [deploy, serverId]);
      await query("update server_hearings set heard_at = now() + interval '1 hour'");
    }
  });

  test("on the server's page and in the list of servers, with the app that holds the lock", async () => {
    await page.goto(`${world.url}/servers/berlin`);
    await page.getByText("Nothing is deployed, and nothing waits.").waitFor();
    const { name } = await addQueue();
    const row = page.getByRole("region", { name: "Deploys" }).getByRole("row").filter({ hasText: name });
    await row.getByText("waits for the deploys before it").waitFor(WITHIN);
    expect(await row.innerText()).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d$/);
    await page.getByText(/^ahead\d+ since \d{4}-/).waitFor(WITHIN);
    await query("update server_hearings set heard_at = now() - interval '11 seconds'");
    await row.getByText("waits for the server, which is away").waitFor(WITHIN);
    await page.goto(`${world.url}/servers`);
    await page.getByText(/^1 since \d{4}-/).waitFor(WITHIN);
  });

  test("in the list of servers, when all of them are drained", () =>
    expectToSay(
      ["/servers"],
      async () => {
        await query("update servers set state = 'draining'");
        await addDeploy(world.http.parts.db, await addApp("homeless"), null);
      },
      /^1 deploy waits for a server, since \d{4}-.*none of those that they may live on takes new apps/,
    ));

  test("after the press of Deploy, which leads to the app's deploys", async () => {
    await addQueue();
    await addApp("pressed");
    await addLiveRelease(world.http.parts, { name: "pressed", userId: caller.userId, serverId, release: "v0" });
    await page.goto(`${world.url}/apps/pressed`);
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.waitForURL(`${world.url}/apps/pressed/deploys`);
    await expectSaid(AHEAD);
  });
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
