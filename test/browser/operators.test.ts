import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeTeam } from "../support/api/team-world.ts";
import {
  addPerson,
  expectFocus,
  expectHeading,
  expectText,
  field,
  newEmail,
  press,
} from "../support/people/on-page.ts";
import { addOperator, hearOf } from "../support/people/operator.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { PASSWORD } from "../support/people/person.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(async () => {
  await world.signOutAll();
  await world.http.database.query("update servers set state = 'removed', removed_at = now()");
});
afterAll(() => world?.stop());

async function openAsOperator(path: string): Promise<{ email: string; page: Page }> {
  const email = newEmail();
  const { cookie } = await addOperator(world.http, email);
  const page = await world.openBrowser(cookie);
  await page.goto(world.url + path);
  return { email, page };
}

async function addServer(name: string): Promise<string> {
  const id = await world.http.addServer(name);
  await hearOf(world.http, id);
  return id;
}

/** Presses the key until what has the focus says that name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 60; count++) {
    await page.keyboard.press("Tab");
    const focused = (await page.evaluate(
      "document.activeElement.labels?.[0]?.innerText ?? (document.activeElement.matches('a, button') ? document.activeElement.innerText : '')",
    )) as string;
    if (focused.trim().startsWith(name)) return;
  }
  throw new Error(`the key Tab does not lead to ${name}`);
}

test("an operator sees which server is away, what each works on, and joins another one", async () => {
  const away = await addServer("b-away");
  await addServer("a-here");
  await world.http.database.query(
    "update server_hearings set heard_at = now() - interval '1 minute' where server_id = $1",
    [away],
  );
  const { page } = await openAsOperator("/servers");
  const rows = page.getByRole("region", { name: "Servers" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(3);
  // What somebody should look at is on top, in words.
  expect(await rows.nth(1).innerText()).toMatch(/b-away\s+away since \d{4}-\d\d-\d\d \d\d:\d\d/);
  expect(await rows.nth(2).innerText()).toMatch(
    /a-here\s+takes new apps\s+default\s+nothing\s+0\s+0\s+25 %, 1\.50\s+25 %, 29 %\s+75 % \(data\)/,
  );

  await field(page, "Name").fill("c-new");
  await field(page, "Current password").fill("wrong horse battery");
  await press(page, "Make a join command");
  await expectText(page, "The password is wrong.");
  await field(page, "Current password").fill(PASSWORD);
  await press(page, "Make a join command");
  const command = page.getByRole("region", { name: /^The command for the host of c-new/ });
  expect(await command.locator("pre").innerText()).toMatch(
    /^export SVC_JOIN_TOKEN=svcjoin_\S+ && curl .* && sh install-agent\.sh https:\/\/127\.0\.0\.1:8443$/,
  );
  // Nobody else reaches 127.0.0.1.
  await expectText(page, /on a Debian or Ubuntu with curl.*SVC_AGENTS_LISTEN=0\.0\.0\.0:8443/);
  await command.getByRole("button", { name: "Copy" }).click();
  await command.getByText(/^(Copied|This browser)/).waitFor();
  await page.getByRole("cell", { name: "waits for its agent to join" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.reload();
  await page.getByRole("rowheader", { name: "c-new" }).waitFor();
  expect(await page.content()).not.toContain("svcjoin_");
});

test("a server that is heard of no more is shown as away on an open page, and as back when it is", async () => {
  const id = await addServer("leaves");
  const { page } = await openAsOperator("/servers");
  await page.getByRole("cell", { name: "takes new apps" }).waitFor();
  await world.http.database.query(
    "update server_hearings set heard_at = now() - interval '11 seconds' where server_id = $1",
    [id],
  );
  await expectText(page, /^away since/);
  await hearOf(world.http, id);
  await page.getByRole("cell", { name: "takes new apps" }).waitFor();
});

test("a server is drained, and let take apps again, after a question", async () => {
  await addServer("drains");
  const { page } = await openAsOperator("/servers");
  await page.getByRole("link", { name: "drains" }).click();
  await expectHeading(page, "drains");
  await press(page, "Drain drains");
  await press(page, "Yes, drain drains");
  await expectText(page, "drains takes no new apps.");
  await expectText(page, "drained: takes no new apps");
  expect(await accessibilityProblems(page)).toEqual([]);
  await press(page, "Let it take new apps");
  await expectText(page, "drains takes new apps again.");
});

test("servers are joined and drained by the keyboard alone", async () => {
  await addServer("keys");
  const { page } = await openAsOperator("/servers");
  await page.getByRole("rowheader", { name: "keys" }).waitFor();
  await tabTo(page, "Name");
  await page.keyboard.type("typed");
  await tabTo(page, "Current password");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: /^The command for the host of typed/ }).waitFor();
  await expectFocus(page.locator(".secret"));
  await page.goto(`${world.url}/servers/keys`);
  await page.getByRole("button", { name: "Drain keys" }).waitFor();
  await tabTo(page, "Drain");
  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("button", { name: "Cancel" }));
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expectText(page, "keys takes no new apps.");
  await tabTo(page, "Let it take new apps");
  await page.keyboard.press("Enter");
  await expectText(page, "keys takes new apps again.");
});

test("a team is found, and moved to another tier by mouse and by keyboard", async () => {
  const team = await makeTeam(world.http, "Balloons");
  const { page } = await openAsOperator("/teams");
  await field(page, "Name, or address of an owner").fill("balloon");
  await press(page, "Find");
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "Balloons" }) });
  await expect.poll(() => page.getByRole("region", { name: "Teams" }).getByRole("row").count()).toBe(2);
  await row.getByRole("button", { name: /^Change the tier of Balloons/ }).click();
  await page.getByLabel("Tier", { exact: true }).selectOption("pro");
  await field(page, "Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Change the tier", exact: true }).click();
  await expectText(page, "Balloons is on the tier pro now.");
  expect(await row.innerText()).toMatch(/\bpro\b/);
  expect(await accessibilityProblems(page)).toEqual([]);

  await row.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("region", { name: /^Tier of Balloons/ }));
  await tabTo(page, "Current password");
  await page.keyboard.type(PASSWORD);
  await tabTo(page, "Tier");
  await page.keyboard.type("free");
  await tabTo(page, "Change the tier");
  await page.keyboard.press("Enter");
  await expectText(page, "Balloons is on the tier free now.");
  const { rows } = await world.http.database.query("select tier from teams where id = $1", [team.id]);
  expect(rows).toEqual([{ tier: "free" }]);
});

test("a long list of teams goes on where its first page ends, and nothing is found in words", async () => {
  const { page } = await openAsOperator("/teams");
  await world.http.database.query(
    "insert into teams (id, name, tier) select gen_random_uuid(), 'Many ' || n, 'free' from generate_series(1, 60) n",
  );
  await field(page, "Name, or address of an owner").fill("Many");
  await press(page, "Find");
  const rows = page.getByRole("region", { name: "Teams" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(1 + 50);
  await press(page, "Show more teams");
  await expect.poll(() => rows.count()).toBe(1 + 60);
  expect(await page.getByRole("button", { name: "Show more teams" }).count()).toBe(0);
  await field(page, "Name, or address of an owner").fill("No Such Team");
  await press(page, "Find");
  await expectText(page, "No team is found by “No Such Team”.");
});

test("an owner reads who did what in words, by person and by kind, page after page", async () => {
  const { email, page } = await addPerson(world);
  const team = await makeTeam(world.http, "Readers");
  const id = "select id from users where email = $2";
  await world.http.database.query(`insert into team_members (team_id, user_id, role) values ($1, (${id}), 'owner')`, [
    team.id,
    email,
  ]);
  await team.ownerIn.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
  for (let count = 0; count < 55; count++)
    await team.ownerIn.call("PUT", "/api/apps/shop/env", { env: { COUNT: `${count}` } });
  await page.getByRole("link", { name: "Activity" }).click();
  await expectText(page, /^signed in|^joined/);
  await page.getByRole("link", { name: "Readers" }).click();
  const rows = page.getByRole("region", { name: "Entries" }).getByRole("row");
  await expect.poll(() => rows.count()).toBe(1 + 50);
  expect(await rows.nth(1).innerText()).toMatch(/@example\.test with the key test\s+set variables of shop: COUNT$/);
  expect(await rows.nth(1).locator("time").getAttribute("title")).toMatch(/^\d{4}-.*\.\d{3}Z$/);
  await press(page, "Show older entries");
  await expect.poll(() => rows.count()).toBeGreaterThan(1 + 55);
  await page.getByLabel("Kind").selectOption("Apps");
  await expect.poll(() => rows.count()).toBe(1 + 1);
  await expectText(page, "made the app shop");
  await page.getByLabel("Person").selectOption(email);
  await expectText(page, "There is no such entry.");
  // By the keyboard, back to all.
  await page.getByLabel("Person").focus();
  await page.keyboard.press("Home");
  await expectText(page, "made the app shop");
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("operators read the platform's own entries, and the pages of others are not in their frame", async () => {
  await addServer("noted");
  const { page, email } = await openAsOperator("/servers/noted");
  await press(page, "Drain noted");
  await press(page, "Yes, drain noted");
  await expectText(page, "noted takes no new apps.");
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByRole("link", { name: "The platform" }).click();
  const row = page.getByRole("row").filter({ hasText: "drained noted" });
  expect(await row.innerText()).toContain(email);

  const other = await addPerson(world);
  for (const name of ["Servers", "All teams"]) {
    expect(await other.page.getByRole("link", { name }).count()).toBe(0);
  }
  for (const path of ["/servers", "/servers/noted", "/teams"]) {
    await other.page.goto(world.url + path);
    await expectText(other.page, "This page is for operators of the service.");
  }
});

test("an operator whose mark is taken back sees nothing new on a page that is open", async () => {
  await addServer("seen");
  const { page, email } = await openAsOperator("/servers/seen");
  await page.getByRole("button", { name: "Drain seen" }).waitFor();
  await world.http.database.query("update users set is_operator = false where email = $1", [email]);
  await expectText(page, "There is nothing at this path.");
  await press(page, "Drain seen");
  await press(page, "Yes, drain seen");
  await expect.poll(() => page.getByRole("alert").count()).toBeGreaterThan(1);
  const { rows } = await world.http.database.query("select state from servers where name = 'seen'");
  expect(rows).toEqual([{ state: "active" }]);
});

test("markup in the name of a server, of a team or of an app, and in an address, is text", async () => {
  const markup = '<img src=x onerror="document.title=1">';
  const id = await addServer("markup");
  await world.http.database.query("update servers set agent_version = $2 where id = $1", [id, markup]);
  await makeTeam(world.http, markup);
  await world.http.database.query(
    "insert into audit_log (actor, action, target, detail) values ('system', $1, 'server:x', $2)",
    [markup, JSON.stringify({ name: markup })],
  );
  const { page } = await openAsOperator("/servers");
  await expectText(page, markup);
  await page.goto(`${world.url}/teams`);
  await expectText(page, markup);
  await page.goto(`${world.url}/activity?of=platform`);
  await expectText(page, markup);
  await page.goto(`${world.url}/servers/${encodeURIComponent(markup)}`);
  await expectHeading(page, markup);
  expect(await page.locator("img").count()).toBe(0);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
