import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makeTeam } from "../support/api/team-world.ts";
import {
  addPerson,
  callAs,
  expectHeading,
  expectText,
  field,
  linkTo,
  press,
  signIn,
} from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

const DOWNLOAD = "Download all that the service holds about you";
let apps = 0;

/** A person with an app whose page of variables is open, and somebody who has an account only. */
async function addTwo(): Promise<{ page: Page; first: string; second: string; app: string }> {
  const { email: second } = await addPerson(world);
  const { page, email: first } = await addPerson(world);
  const name = `secrets${++apps}`;
  expect(await callAs(page, "POST", "/api/apps", { name, repo_url: "https://github.com/you/secrets" })).toBe(201);
  expect(await callAs(page, "PUT", `/api/apps/${name}/env`, { env: { FIRST_PERSONS: "value" } })).toBe(200);
  const app = `/apps/${name}`;
  await page.goto(`${world.url}${app}/env`);
  await expectText(page, "FIRST_PERSONS");
  return { page, first, second, app };
}

async function signOut(page: Page): Promise<void> {
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
}

async function expectNothingOf(page: Page, first: string): Promise<void> {
  const content = await page.content();
  for (const text of ["FIRST_PERSONS", "UNSENT", first]) expect(content).not.toContain(text);
}

test("somebody who signs in after another person in the same browser sees nothing of theirs, also with the button Back", async () => {
  const { page, first, second, app } = await addTwo();
  await field(page, "Name of the variable").fill("UNSENT");
  await signOut(page);
  await signIn(page, second);
  await expectHeading(page, "Apps");
  await page.goBack();
  await page.goBack();
  await expectHeading(page, `${app.slice("/apps/".length)}: Variables`);
  await expectText(page, /no app/i);
  await expectNothingOf(page, first);
  const fields = await page.locator("input").all();
  for (const input of fields) expect(await input.inputValue()).toBe("");
});

test("nothing that a person was shown is kept by the browser after they sign out", async () => {
  const { page, first, app } = await addTwo();
  const kept: string[] = [];
  page.on("response", (response) => {
    const path = new URL(response.url()).pathname;
    if (!path.startsWith("/assets/") && response.headers()["cache-control"] !== "no-store") kept.push(path);
  });
  for (const path of ["/", app, `${app}/env`, "/activity", "/settings/profile", "/settings/keys"]) {
    await page.goto(world.url + path);
    await expectText(page, first);
    await page.getByText("Loading …").first().waitFor({ state: "detached" });
  }
  await signOut(page);
  expect(kept).toEqual([]);
  expect(await page.evaluate(KEPT)).toEqual([]);
});

test("a page that another tab has open is left when its person signs out, and shows who signs in next nothing of theirs", async () => {
  const { page, first, second } = await addTwo();
  const tab = await world.openTab(page);
  // A page that asks the service for nothing more once it is shown.
  await tab.goto(`${world.url}/settings/profile`);
  await expectText(tab, `${first} (confirmed)`);
  await signOut(page);
  await expectHeading(tab, "Sign in");
  await expectNothingOf(tab, first);
  await signIn(tab, second);
  await expectHeading(tab, "Apps");
  await expectText(tab, second);
  await tab.close();
});

test("a page that stays in view is loaded again when somebody else signs in in another tab", async () => {
  const { page, first, second } = await addTwo();
  const tab = await world.openTab(page);
  await tab.goto(`${world.url}/sign-in`);
  await signIn(tab, second);
  await expectHeading(tab, "Apps");
  await expectText(page, second);
  await expectText(page, /no app/i);
  await expectNothingOf(page, first);
  await tab.close();
});

test("a page that comes into view again is loaded again when somebody else has signed in meanwhile", async () => {
  const [first, second] = [await addPerson(world), await addPerson(world)];
  await first.page.goto(`${world.url}/settings/profile`);
  await expectText(first.page, `${first.email} (confirmed)`);
  await first.page.context().addCookies(await second.page.context().cookies());
  await first.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await expectText(first.page, `${second.email} (confirmed)`);
});

test("a change that a page sends once somebody else is signed in is not made, and the page is theirs then", async () => {
  const [first, second] = [await addPerson(world), await addPerson(world)];
  const { page } = first;
  await page.goto(`${world.url}/settings/team`);
  await field(page, "Name of the team").fill("Of the first");
  // By no page that could tell this one.
  await page.context().addCookies(await second.page.context().cookies());
  await press(page, "Make the team");
  await expectText(page, second.email);
  await expectNothingOf(page, first.email);
  const { rows } = await world.http.database.query("select name from teams where name = 'Of the first'");
  expect(rows).toEqual([]);
});

test("a page downloads all that is held about its person, and nothing once somebody else is signed in", async () => {
  const [first, second] = [await addPerson(world), await addPerson(world)];
  const { page } = first;
  await page.goto(`${world.url}/settings/profile`);
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, DOWNLOAD)]);
  expect(download.suggestedFilename()).toBe("account.json");
  const held = JSON.parse(await readFile(await download.path(), "utf8")) as { person: { email: string } };
  expect(held.person.email).toBe(first.email);

  let others = 0;
  page.on("download", () => others++);
  await page.context().addCookies(await second.page.context().cookies());
  await press(page, DOWNLOAD);
  await expectText(page, `${second.email} (confirmed)`);
  expect(others).toBe(0);
});

test("an invitation that a person has opened and not accepted is forgotten when they sign out", async () => {
  const { page, first, second } = await addTwo();
  const team = await makeTeam(world.http, "Rockets");
  await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, { email: first, role: "developer" });
  await page.goto(await linkTo(world, first, "invitation"));
  await page.getByRole("button", { name: "Accept the invitation" }).waitFor();
  await page.goto(world.url);
  await signOut(page);
  await signIn(page, second);
  await expectHeading(page, "Apps");
  await page.goto(`${world.url}/invitation`);
  await expectText(page, "This link is incomplete");
  await expectNothingOf(page, first);
});

/** The names of all that a page can keep in a browser. */
const KEPT = `(async () => [
  ...Object.keys(sessionStorage), ...Object.keys(localStorage), ...(await caches.keys()),
  ...(await indexedDB.databases()).map(({ name }) => name), ...document.cookie.split("; ").filter(Boolean),
])()`;

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
