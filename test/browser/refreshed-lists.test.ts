import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Caller } from "../support/api/http.ts";
import { addDeploy } from "../support/api/pipeline.ts";
import { addLiveRelease } from "../support/api/scripted-apps.ts";
import { addPersonWithKey, expectFocus, expectText, field, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser, PASSWORD } from "../support/people/person.ts";
import { untilShown } from "../support/pictures/until-shown.ts";

/** A page looks again within this. */
const PACE_MS = 5_000;

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

const query = (text: string, values: readonly unknown[] = []) => world.http.database.query(text, [...values]);

interface Somebody {
  page: Page;
  caller: Caller;
  /** Elsewhere, as the same person. */
  elsewhere: Browser;
  app: string;
  /** A team of theirs with a colleague who is a viewer. */
  team: string;
  colleague: string;
}

let people = 0;

async function addSomebody(): Promise<Somebody> {
  const { page, caller } = await addPersonWithKey(world);
  await query("update users set is_operator = true, tier = 'team' where id = $1", [caller.userId]);
  const app = `shop-${++people}`;
  await caller.call("POST", "/api/apps", { name: app, repo_url: "https://github.com/ada/shop" });
  const serverId = await world.http.addServer(`server-of-${app}`);
  await addLiveRelease(world.http.parts, { name: app, userId: caller.userId, serverId, env: {} });
  const elsewhere = new Browser(world.http);
  const cookies = await page.context().cookies(world.url);
  elsewhere.cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const { json } = await elsewhere.post("/api/teams", { name: `Crew ${people}` });
  const { id: team } = json["team"] as { id: string };
  const colleague = await addMember(team, `colleague-${people}@example.com`);
  return { page, caller, elsewhere, app, team, colleague };
}

/** Adds a viewer to the team. @returns their id */
async function addMember(team: string, email: string): Promise<string> {
  const { rows } = await query(
    `with made as (insert into users (id, email, name, tier) values (gen_random_uuid(), $1, 'Member', 'free') returning id)
       insert into team_members (team_id, user_id, role) select $2, id, 'viewer' from made returning user_id`,
    [email, team],
  );
  return String(rows[0]!["user_id"]);
}

async function open(page: Page, path: string): Promise<void> {
  await page.clock.install();
  await page.goto(world.url + path);
  await untilShown(page);
}

const wait = (page: Page, milliseconds = PACE_MS): Promise<void> => page.clock.runFor(milliseconds);

/** From then on no time passes on the page but what is waited for, until it is let go on. */
const stopTime = async (page: Page): Promise<void> =>
  page.clock.pauseAt(Number(await page.evaluate("Date.now()")) + 1_000);

/** Lets a person come back to the page after a change, while no time passes on it. */
async function comeBackAfter(
  page: Page,
  change: () => Promise<unknown>,
  isShown: () => Promise<boolean>,
): Promise<void> {
  await stopTime(page);
  await change();
  // Once more, where a look that began before the change was on its way.
  const comeBack = async () => {
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    return isShown();
  };
  await expect.poll(comeBack).toBe(true);
  await page.clock.resume();
}

const row = (page: Page, text: string | RegExp): Locator => page.locator("tbody tr").filter({ hasText: text }).first();

describe("a change that is made elsewhere is shown on an open page, after a while and when its person comes back to it", () => {
  /** Each change twice, the second time for the return. */
  const CHANGES: Readonly<
    Record<
      string,
      {
        path(of: Somebody): string;
        change(of: Somebody, name: string): Promise<unknown>;
        shown(of: Somebody, name: string): Locator;
      }
    >
  > = {
    "a key": {
      path: () => "/settings/keys",
      change: ({ elsewhere, caller }, name) => elsewhere.post("/auth/keys", { name, team: caller.userId }),
      shown: ({ page }, name) => row(page, name),
    },
    "a session": {
      path: () => "/settings/sessions",
      async change({ caller }, name) {
        const { rows } = await query("select email from users where id = $1", [caller.userId]);
        const other = new Browser(world.http);
        await other.signIn(String(rows[0]!["email"]));
        await query("update sessions set ip_address = $1 where user_id = $2 and ip_address = $3", [
          name,
          caller.userId,
          other.address,
        ]);
      },
      shown: ({ page }, name) => row(page, name),
    },
    "a member": {
      path: ({ team }) => `/settings/team?team=${team}`,
      change: ({ team }, name) => addMember(team, `${name}@example.com`),
      shown: ({ page }, name) => row(page, `${name}@example.com`),
    },
    "an invitation": {
      path: ({ team }) => `/settings/team?team=${team}`,
      change: ({ team, elsewhere }, name) =>
        elsewhere.post(`/api/teams/${team}/invitations`, { email: `${name}@example.com`, role: "viewer" }),
      shown: ({ page }, name) => row(page, `${name}@example.com`),
    },
    "a team of anybody": {
      path: () => "/teams",
      change: (_, name) => query("insert into teams (id, name, tier) values (gen_random_uuid(), $1, 'free')", [name]),
      shown: ({ page }, name) => row(page, name),
    },
    "an entry of the activity": {
      path: () => "/activity",
      change: ({ caller, app }, name) => caller.call("PUT", `/api/apps/${app}/env`, { env: { [name]: "1" } }),
      shown: ({ page }, name) => row(page, name),
    },
    "a variable and what the next deploy changes": {
      path: ({ app }) => `/apps/${app}/env`,
      change: ({ caller, app }, name) => caller.call("PUT", `/api/apps/${app}/env`, { env: { [name]: "1" } }),
      shown: ({ page }, name) =>
        page
          .locator("main")
          .filter({ has: row(page, name) })
          .getByText(new RegExp(`^(.*, )?${name}(, .*)?$`))
          .first(),
    },
  };
  test.for(Object.entries(CHANGES))("%s", async ([, { path, change, shown }]) => {
    const somebody = await addSomebody();
    const { page } = somebody;
    await open(page, path(somebody));
    const [first, second] = [`later${people}`, `again${people}`];
    await change(somebody, first);
    expect(await shown(somebody, first).count()).toBe(0);
    await wait(page);
    await shown(somebody, first).waitFor();
    await comeBackAfter(
      page,
      () => change(somebody, second),
      () => shown(somebody, second).isVisible(),
    );
  });

  test("that the next deploy changes variables, on the overview", async () => {
    const { page, caller, app } = await addSomebody();
    await open(page, `/apps/${app}`);
    const said = page.getByText("changes variables");
    expect(await said.count()).toBe(0);
    await caller.call("PUT", `/api/apps/${app}/env`, { env: { LATER: "1" } });
    await wait(page);
    await said.waitFor();
    await comeBackAfter(
      page,
      () => caller.call("DELETE", `/api/apps/${app}/env/LATER`),
      async () => (await said.count()) === 0,
    );
  });

  test("a deploy key, on the settings page", async () => {
    const { page, caller, app } = await addSomebody();
    await open(page, `/apps/${app}/settings`);
    await page.getByRole("button", { name: "Make a key" }).waitFor();
    await caller.call("POST", `/api/apps/${app}/deploy-key`);
    await wait(page);
    await page.getByRole("button", { name: "Remove the key" }).waitFor();
    await comeBackAfter(
      page,
      () => caller.call("DELETE", `/api/apps/${app}/deploy-key`),
      () => page.getByRole("button", { name: "Make a key" }).isVisible(),
    );
    expect(await page.getByRole("button", { name: "Remove the key" }).count()).toBe(0);
  });
});

describe("what a person does on an open page stays while a list is read again", () => {
  test("a half-written form, its focus and a question about a key", async () => {
    const { page, elsewhere, caller } = await addSomebody();
    const make = (name: string) => elsewhere.post("/auth/keys", { name, team: caller.userId });
    await make("asked about");
    await open(page, "/settings/keys");
    await press(page, "Revoke the key asked about");
    const cancel = page.getByRole("button", { name: "Cancel" });
    await expectFocus(cancel);
    await make("before");
    await wait(page);
    await row(page, "before").waitFor();
    await expectFocus(cancel);

    await field(page, "Name").fill("half a na");
    await page.getByLabel("Ends").selectOption("30");
    await field(page, "Name").focus();
    await make("meanwhile");
    await wait(page);
    await row(page, "meanwhile").waitFor();
    expect(await field(page, "Name").inputValue()).toBe("half a na");
    expect(await page.getByLabel("Ends").inputValue()).toBe("30");
    await expectFocus(field(page, "Name"));
    await page.getByText("Programs that use it are refused at once.").waitFor();
  });

  test("a role that is chosen and not changed yet; one that is not chosen follows a colleague's change", async () => {
    const { page, team, colleague } = await addSomebody();
    const email = `colleague-${people}@example.com`;
    await open(page, `/settings/team?team=${team}`);
    const role = page.getByLabel(`Role of ${email}`);
    const change = page.getByRole("button", { name: `Change the role of ${email}` });
    const setTo = (name: string) =>
      query("update team_members set role = $3 where team_id = $1 and user_id = $2", [team, colleague, name]);
    await setTo("deployer");
    await wait(page);
    await expect.poll(() => role.inputValue()).toBe("deployer");
    expect(await change.count()).toBe(0);
    await role.selectOption("owner");
    await setTo("developer");
    await addMember(team, `seen-${people}@example.com`);
    await wait(page);
    await row(page, `seen-${people}@example.com`).waitFor();
    expect(await role.inputValue()).toBe("owner");
    await change.click();
    await expectText(page, `${email} is owner now.`);
    await change.waitFor({ state: "detached" });
  });

  test("the form that changes a team's tier, and pages of teams that were asked for, which are read again, too", async () => {
    const { page } = await addSomebody();
    await query(
      "insert into teams (id, name, tier) select gen_random_uuid(), 'Still ' || n, 'free' from generate_series(1, 60) n",
    );
    await open(page, "/teams");
    await field(page, "Name, or address of an owner").fill("Still");
    await press(page, "Find");
    await press(page, "Show more teams");
    const rows = page.getByRole("region", { name: "Teams", exact: true }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(60);
    await rows.first().getByRole("button").click();
    await page.getByLabel("Tier", { exact: true }).selectOption("team");
    await field(page, "Current password").fill(PASSWORD);
    await query("update teams set tier = 'pro' where name = (select max(name) from teams where name like 'Still %')");
    await wait(page);
    await expect.poll(() => rows.getByRole("cell", { name: "pro", exact: true }).count()).toBe(1);
    expect(await rows.count()).toBe(60);
    expect(await page.getByLabel("Tier", { exact: true }).inputValue()).toBe("team");
    expect(await field(page, "Current password").inputValue()).toBe(PASSWORD);
  });

  test("older entries of the activity, below a new one", async () => {
    const { page, caller, app } = await addSomebody();
    const write = (name: string) => caller.call("PUT", `/api/apps/${app}/env`, { env: { [name]: "1" } });
    for (let count = 0; count < 55; count++) await write(`OLD_${count}`);
    await open(page, "/activity");
    await press(page, "Show older entries");
    await row(page, `made the app ${app}`).waitFor();
    const before = await page.locator("tbody tr").count();
    await write("NEWEST");
    await wait(page);
    await row(page, "NEWEST").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(before + 1);
    await page.getByLabel("Kind").selectOption({ label: "Variables" });
    await expect.poll(() => row(page, `made the app ${app}`).count()).toBe(0);
    await row(page, "NEWEST").waitFor();
  });
});

test("the values of variables are read once while a page stays open, and forgotten when a colleague has changed them", async () => {
  const { page, caller, app } = await addSomebody();
  const write = (env: Record<string, string>) => caller.call("PUT", `/api/apps/${app}/env`, { env });
  await write({ SHOWN: "in clear" });
  const reads = { env: 0, changes: 0 };
  page.on("request", (request) => {
    const [, kind] = /^\/api\/apps\/[^/]+\/(env|changes)$/.exec(new URL(request.url()).pathname) ?? [];
    if (request.method() === "GET" && kind !== undefined) reads[kind as keyof typeof reads]++;
  });
  await open(page, `/apps/${app}/env`);
  await stopTime(page);
  await press(page, "Show SHOWN");
  await field(page, "Value").fill("half a val");
  for (let looks = 0; looks < 4; looks++) {
    const looked = page.waitForResponse(new RegExp(`/api/apps/${app}$`));
    await wait(page);
    await (await looked).finished();
  }
  expect(reads).toEqual({ env: 1, changes: 1 });
  const { rows } = await query(
    "select 1 from audit_log where action = 'env.read' and target = (select 'app:' || id from apps where name = $1)",
    [app],
  );
  expect(rows).toHaveLength(1);

  await write({ LATER: "1" });
  await wait(page);
  await row(page, "LATER").waitFor();
  await page.getByRole("button", { name: "Show SHOWN" }).waitFor();
  expect(reads).toEqual({ env: 1, changes: 2 });
  expect(await field(page, "Value").inputValue()).toBe("half a val");

  // Nor does the own change read them.
  await field(page, "Name of the variable").fill("OWN");
  await press(page, "Set the variable");
  await row(page, "OWN").waitFor();
  await expectText(page, "1 variable was written, for the next deploy.");
  await wait(page);
  expect(reads.env).toBe(1);
  await page.clock.resume();
});

test("a step that runs tells the time since it began, each second and to nobody who does not look", async () => {
  const { page, caller, app } = await addSomebody();
  const { rows } = await query("select id from apps where name = $1", [app]);
  const deploy = await addDeploy(world.http.parts.db, { id: String(rows[0]!["id"]), userId: caller.userId }, null);
  await query("update deploys set status = 'running', started_at = now() where id = $1", [deploy]);
  const ofBuild = "deploy_id = $1 and step_name = 'clone_build'";
  await query(`update deploy_steps set status = 'running', started_at = now() - interval '10 s' where ${ofBuild}`, [
    deploy,
  ]);
  await open(page, `/apps/${app}/deploys/${deploy}`);
  const time = page.getByRole("timer");
  const begun = await query(`select started_at from deploy_steps where ${ofBuild}`, [deploy]);
  expect(await time.getAttribute("title")).toBe((begun.rows[0]!["started_at"] as Date).toISOString());
  expect(await page.locator("[aria-live], [role=status], [role=alert]").filter({ has: time }).count()).toBe(0);
  const seconds = async () => Number(/^for (\d+) s$/.exec(await time.innerText())?.[1]);
  // The page's next frame begins to count.
  await wait(page, 100);
  const before = await seconds();
  expect(before).toBeGreaterThanOrEqual(10);
  await wait(page, 2_000);
  await expect.poll(seconds).toBeGreaterThanOrEqual(before + 2);
  expect(await accessibilityProblems(page)).toEqual([]);
  await query(
    `update deploy_steps set status = 'success', finished_at = started_at + interval '8 s' where ${ofBuild}`,
    [deploy],
  );
  await wait(page, 4_000);
  await expectText(page, /Build succeeded in 8 s/);
  expect(await time.count()).toBe(0);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
