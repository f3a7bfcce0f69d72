import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Caller } from "../support/api/http.ts";
import { addLiveRelease } from "../support/api/scripted-apps.ts";
import { addPersonWithKey, expectFocus, expectText, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser, PASSWORD } from "../support/people/person.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

const query = (text: string, values: unknown[]) => world.http.database.query(text, values);

let apps = 0;

/** Somebody who is signed in, with an app of their own. */
async function addPersonWithApp(): Promise<{ page: Page; caller: Caller; app: string; person: Browser }> {
  const { page, caller } = await addPersonWithKey(world);
  const app = `shop-${++apps}`;
  await caller.call("POST", "/api/apps", { name: app, repo_url: "https://github.com/ada/shop" });
  const person = new Browser(world.http);
  const cookies = await page.context().cookies(world.url);
  person.cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return { page, caller, app, person };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(world.url + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

const region = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const rowsIn = (page: Page, name: string): Locator => region(page, name).locator("tbody tr");

/** Adds deploys that have failed, `r<from>` to `r<to>`. */
async function addFailedDeploys(app: string, from: number, to: number): Promise<void> {
  await query(
    `insert into deploys (id, app_id, user_id, status, release, started_at, finished_at, error)
       select gen_random_uuid(), id, owner_id, 'failed', 'r' || n, now(), now(), 'The build failed.'
       from apps, generate_series($2::integer, $3::integer) n where name = $1 order by n`,
    [app, from, to],
  );
}

test("of 500 apps the page draws some, says how many it does not, and finds each by its name", async () => {
  const { page, caller } = await addPersonWithApp();
  await query(
    `insert into apps (id, owner_id, name, status)
       select gen_random_uuid(), $1, 'many-' || n, 'stopped' from generate_series(1, 499) n`,
    [caller.userId],
  );
  await open(page, "/");
  await expectText(page, "300 more are not shown. Write a part of a name into Find.");
  expect(await rowsIn(page, "Apps").count()).toBe(200);
  await page.keyboard.press("/");
  await page.keyboard.type("MANY-437");
  await expect.poll(() => rowsIn(page, "Apps").allInnerTexts()).toEqual([expect.stringContaining("many-437")]);
  expect(await page.getByText("are not shown").count()).toBe(0);
  await page.keyboard.type("x");
  await expectText(page, "Nothing has “MANY-437x” in its name.");
});

test("of 500 teams of a person each is found by its name", async () => {
  const { page, caller } = await addPersonWithApp();
  await query(
    `with made as (insert into teams (id, name, tier)
       select gen_random_uuid(), 'Crew ' || n, 'free' from generate_series(1, 500) n returning id)
       insert into team_members (team_id, user_id, role) select id, $1, 'owner' from made`,
    [caller.userId],
  );
  for (const [path, label] of [
    ["/settings/team", "Teams"],
    ["/activity", "Whose activity"],
  ] as const) {
    await open(page, path);
    const links = page.getByRole("navigation", { name: label }).getByRole("link");
    await expectText(page, "301 more are not shown.");
    await page.getByRole("searchbox").fill("crew 499");
    await expect.poll(() => links.allInnerTexts()).toEqual(["Crew 499"]);
    await links.click();
    await page.getByRole("heading", { level: 2, name: "Crew 499" }).waitFor();
  }
});

test("of an app's many domains each is found by its name", async () => {
  const { page, app } = await addPersonWithApp();
  await query(
    `insert into domains (domain, app_id, leads_here, active, owner_proven)
       select 'shop-' || n || '.' || $1 || '.example.com', id, true, true, true from apps, generate_series(1, 10) n where name = $1`,
    [app],
  );
  await open(page, `/apps/${app}/domains`);
  const names = page.getByRole("list").getByRole("heading", { level: 2 });
  await expect.poll(() => names.count()).toBe(10);
  await page.keyboard.press("/");
  await page.keyboard.type("SHOP-7");
  await expect.poll(() => names.allInnerTexts()).toEqual([`shop-7.${app}.example.com`]);
  await page.keyboard.type("x");
  await expectText(page, "Nothing has “SHOP-7x” in its name.");
});

test("of a person's many conversations each is found by its first words", async () => {
  const { page, caller } = await addPersonWithApp();
  await query(
    `insert into conversations (id, user_id, team_id, title)
       select gen_random_uuid(), $1, $1, 'why did v' || n || ' fail?' from generate_series(1, 50) n`,
    [caller.userId],
  );
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, "/chat");
  const list = region(page, "Conversations");
  await expect.poll(() => list.getByRole("listitem").count()).toBe(50);
  expect(await accessibilityProblems(page)).toEqual([]);
  await list.getByRole("searchbox").fill("V37");
  await expect.poll(() => list.getByRole("listitem").getByRole("link").allInnerTexts()).toEqual(["why did v37 fail?"]);
  await page.setViewportSize({ width: 800, height: 600 });
});

test("older deploys are shown when asked for, and stay when the page is refreshed with a newer one", async () => {
  const { page, app } = await addPersonWithApp();
  await open(page, `/apps/${app}/deploys`);
  await expectText(page, "Nothing was deployed yet.");
  await addFailedDeploys(app, 1, 120);
  const rows = rowsIn(page, "Table of deploys");
  await expect.poll(() => rows.count()).toBe(50);
  await press(page, "Show older deploys");
  await expect.poll(() => rows.count()).toBe(100);
  // The button stays, and with it the focus.
  await expectFocus(page.getByRole("button", { name: "Show older deploys" }));
  await page.keyboard.press("Enter");
  await expect.poll(() => rows.count()).toBe(120);
  await expectFocus(page.getByText("This is the end of the list."));
  await addFailedDeploys(app, 121, 121);
  await page.getByRole("rowheader", { name: "r121" }).waitFor();
  const releases = await rows.getByRole("rowheader").allInnerTexts();
  expect(releases).toEqual(Array.from({ length: 121 }, (_, index) => `r${121 - index}`));
});

test("the overview tells what serves, also when more than a hundred deploys have failed since", async () => {
  const { page, caller, app } = await addPersonWithApp();
  const serverId = await world.http.addServer(`server-of-${app}`);
  await addLiveRelease(world.http.parts, { name: app, userId: caller.userId, serverId, env: {} });
  await addFailedDeploys(app, 1, 101);
  await open(page, `/apps/${app}`);
  await expectText(page, /^v1 from commit [0-9a-f]{7}, deployed .* by ada\d+@example\.com$/);
  expect(await rowsIn(page, "Table of deploys").count()).toBe(5);
});

test("every list that is empty says so", async () => {
  const { page, caller, app } = await addPersonWithApp();
  await query("update users set is_operator = true where id = $1", [caller.userId]);
  await query("update servers set state = 'removed', removed_at = now()", []);
  for (const [path, sentence] of [
    [`/apps/${app}`, "Nothing was deployed yet."],
    [`/apps/${app}/deploys`, "Nothing was deployed yet."],
    [`/apps/${app}/env`, "The app has no variables."],
    [`/apps/${app}/domains`, "There are no domains yet."],
    [`/apps/${app}/webhooks`, "There are no receivers yet."],
    ["/settings/profile", "You have no passkeys."],
    ["/servers", "There are no servers yet."],
  ] as const) {
    await open(page, path);
    await expectText(page, sentence);
  }
  await query("delete from apps where name = $1", [app]);
  await query("delete from api_keys where user_id = $1", [caller.userId]);
  await open(page, "/");
  await expectText(page, "There are no apps yet.");
  await open(page, "/settings/keys");
  await expectText(page, "You have no keys.");
});

test("the palette tells that it still loads, and that more fits than it shows", async () => {
  const { page, caller } = await addPersonWithApp();
  await query(
    `insert into apps (id, owner_id, name, status)
       select gen_random_uuid(), $1, 'palette-' || n, 'stopped' from generate_series(1, 500) n`,
    [caller.userId],
  );
  await open(page, "/settings/keys");
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/apps", (route) => isAnswered.then(() => route.continue()));
  await page.keyboard.press("Control+k");
  await expectFocus(page.getByRole("combobox"));
  await page.keyboard.type("palette-4");
  await expectText(page, "Loading the names of your apps …");
  expect(await page.getByText("Nothing has these words in its name.").count()).toBe(0);
  answer();
  await expectText(page, "At most 12 are shown. Write more of a name.");
  await page.keyboard.type("99");
  await expect.poll(() => page.getByRole("dialog").getByRole("option").first().innerText()).toBe("palette-499");
  await page.unroute("**/api/apps");
});

test("after a team's tier is changed, the pages that were shown are still shown", async () => {
  const { page, caller } = await addPersonWithApp();
  await query("update users set is_operator = true where id = $1", [caller.userId]);
  await query(
    "insert into teams (id, name, tier) select gen_random_uuid(), 'Long ' || n, 'free' from generate_series(1, 60) n",
    [],
  );
  await open(page, "/teams");
  await page.getByLabel("Name, or address of an owner").fill("Long");
  await press(page, "Find");
  await page.getByRole("rowheader", { name: "Long" }).first().waitFor();
  await press(page, "Show more teams");
  await expect.poll(() => rowsIn(page, "Teams").count()).toBe(60);
  const last = rowsIn(page, "Teams").last();
  await last.getByRole("button").click();
  await page.getByLabel("Tier", { exact: true }).selectOption("pro");
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByRole("button", { name: "Change the tier", exact: true }).click();
  await expectText(page, / is on the tier pro now\.$/);
  expect(await rowsIn(page, "Teams").count()).toBe(60);
  expect(await last.innerText()).toMatch(/\bpro\b/);
});

/** Each list by its page, with the call that it waits for. */
const LISTS = [
  ["/", "/api/apps"],
  ["/apps/:app/deploys", "/api/apps/:app/deploys?*"],
  ["/apps/:app", "/api/apps/:app/deploys?*"],
  ["/apps/:app/env", "/api/apps/:app/variables"],
  ["/apps/:app/domains", "/api/apps/:app/domains"],
  ["/apps/:app/webhooks", "/api/apps/:app/webhooks?*"],
  ["/settings/keys", "/auth/keys"],
  ["/settings/sessions", "/auth/sessions"],
  ["/settings/team", "/api/teams"],
  ["/settings/team", "/api/teams/*/members"],
  ["/settings/profile", "/auth/passkeys"],
  ["/activity", "/api/teams/*/activity"],
  ["/activity?of=:team", "/api/teams/*/members"],
  ["/servers", "/api/servers"],
  ["/teams", "/api/operator/teams"],
] as const;

test("every list that can't be loaded says why, and none says that it is empty", async () => {
  const { page, caller, app, person } = await addPersonWithApp();
  await query("update users set is_operator = true where id = $1", [caller.userId]);
  const { team } = (await person.post("/api/teams", { name: "Crew" })).json as { team: { id: string } };
  const detail = "There were too many requests: try again in a minute.";
  for (const [path, call] of LISTS) {
    const url = world.url + call.replace(":app", app);
    await page.route(url, (route) => route.fulfill({ status: 429, json: { error: "rate_limited", detail } }));
    await open(page, path.replace(":app", app).replace(":team", team.id));
    await page.getByRole("alert").filter({ hasText: detail }).first().waitFor();
    const emptiness = /^(There are no|Nothing was deployed|The app has no|You have no keys|Nothing was done)/;
    const empty = await page.getByText(emptiness).allInnerTexts();
    expect([path, ...empty]).toEqual([path]);
    await page.unroute(url);
  }
});

test("a list that is loaded within 200 ms shows no words before it", async () => {
  const { page } = await addPersonWithApp();
  await page.route("**/auth/keys", () => undefined);
  await open(page, "/settings/keys");
  await page.getByText("Loading …").first().waitFor({ state: "attached" });
  const visibilities = await page.evaluate(`(() => {
    const words = document.querySelector(".loading");
    // Begun anew: on a slow machine it has ended by now.
    words.style.animation = "none";
    words.getAnimations();
    words.style.animation = "";
    const [delay] = words.getAnimations();
    const at = (time) => { delay.currentTime = time; return getComputedStyle(words).visibility; };
    delay.pause();
    return [at(0), at(199), at(200)];
  })()`);
  await page.unroute("**/auth/keys");
  expect(visibilities).toEqual(["hidden", "hidden", "visible"]);
});

/** Removes a row by its button, as somebody without a mouse does. */
async function remove(page: Page, name: string, isAsked = true): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  if (!isAsked) return;
  await expectFocus(page.getByRole("button", { name: "Cancel" }));
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
}

const buttonNamed = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });

test("after a variable is deleted, the focus is on the next one's button, and at last on the heading", async () => {
  const { page, caller, app } = await addPersonWithApp();
  await caller.call("PUT", `/api/apps/${app}/env`, { env: { A: "1", B: "2", C: "3" } });
  await open(page, `/apps/${app}/env`);
  await remove(page, "Delete B");
  await expectFocus(buttonNamed(page, "Delete C"));
  await expectText(page, "B was deleted. The next deploy is without it.");
  await remove(page, "Delete C");
  await expectFocus(buttonNamed(page, "Delete A"));
  await remove(page, "Delete A");
  await expectFocus(page.getByRole("heading", { level: 1 }));
});

test("after a domain or a receiver is removed, the focus is on the next one's button, and at last on the heading", async () => {
  const { page, caller, app } = await addPersonWithApp();
  for (const domain of ["a.example.com", "b.example.com"]) {
    await query(
      "insert into domains (domain, app_id, leads_here, active, owner_proven) select $1, id, true, true, true from apps where name = $2",
      [`${app}.${domain}`, app],
    );
  }
  await open(page, `/apps/${app}/domains`);
  await remove(page, `Remove ${app}.a.example.com`);
  await expectFocus(buttonNamed(page, `Remove ${app}.b.example.com`));
  await remove(page, `Remove ${app}.b.example.com`);
  await expectFocus(page.getByRole("heading", { level: 1 }));

  for (const path of ["a", "b"]) {
    await caller.call("POST", `/api/apps/${app}/webhooks`, { url: `https://93.184.215.14/${path}` });
  }
  await open(page, `/apps/${app}/webhooks`);
  await remove(page, "Remove https://93.184.215.14/a");
  await expectFocus(buttonNamed(page, "Remove https://93.184.215.14/b"));
});

test("after a key is revoked or a session is ended, the focus is on the next one's button", async () => {
  const { page, person, caller } = await addPersonWithApp();
  for (const name of ["one", "two", "three"]) await person.post("/auth/keys", { name, team: caller.userId });
  await open(page, "/settings/keys");
  await remove(page, "Revoke the key two");
  await expectFocus(buttonNamed(page, "Revoke the key one"));
  await expectText(page, "The key two was revoked.");

  const { rows } = await query("select email from users where id = $1", [caller.userId]);
  for (let count = 0; count < 2; count++) {
    await new Browser(world.http).signIn((rows[0] as { email: string }).email);
  }
  await open(page, "/settings/sessions");
  const ends = page.getByRole("button", { name: /^End the session/ });
  await ends.first().focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => ends.count()).toBe(1);
  await expectFocus(ends);
  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("heading", { level: 1 }));
});

test("after an invitation is taken back or a member is removed, the focus is on the next one, and at last on the heading", async () => {
  const { page, person } = await addPersonWithApp();
  const { json } = await person.post("/api/teams", { name: "Crew" });
  const { id } = json["team"] as { id: string };
  for (const name of ["ben", "cleo"]) {
    await person.post(`/api/teams/${id}/invitations`, { email: `${name}@example.com`, role: "viewer" });
    await query(
      `with made as (insert into users (id, email, name, tier) values (gen_random_uuid(), $1, 'Member', 'free') returning id)
         insert into team_members (team_id, user_id, role) select $2, id, 'viewer' from made`,
      [`member-${name}@example.com`, id],
    );
  }
  await open(page, `/settings/team?team=${id}`);
  await remove(page, "Take back the invitation of ben@example.com", false);
  await expectFocus(buttonNamed(page, "Take back the invitation of cleo@example.com"));
  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("heading", { name: "Invitations" }));
  await remove(page, "Remove member-ben@example.com");
  await expectFocus(buttonNamed(page, "Remove member-cleo@example.com"));
  await remove(page, "Remove member-cleo@example.com");
  await expectFocus(page.getByRole("heading", { name: "Members" }));
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
