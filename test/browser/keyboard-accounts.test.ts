import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addPerson, expectText, newEmail } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser } from "../support/people/person.ts";

let world: PagesWorld;
let page: Page;
let email: string;
let keyboard: ReturnType<typeof byKeyboard>;

beforeAll(async () => {
  world = await startPagesWorld();
  ({ page, email } = await addPerson(world));
  keyboard = byKeyboard(page);
});
afterAll(() => world?.stop());

test("by the keyboard alone, a key is made with scopes, and revoked", async () => {
  const { button, expectFocus, tabTo, press, sayYes, write } = keyboard;
  await page.goto(`${world.url}/settings/keys`);
  await write("Name", "laptop");
  for (const scope of ["apps:read", "deploys:write"]) {
    await tabTo(page.getByLabel(scope));
    await page.keyboard.press("Space");
  }
  await page.keyboard.press("Enter");
  const secret = page.getByRole("region", { name: /^Your new key/ });
  await expectFocus(secret);
  const row = page.getByRole("row").filter({ hasText: "laptop" });
  await row.getByText("apps:read, deploys:write").waitFor();
  await press("Revoke the key laptop");
  await sayYes();
  await expectText(page, "The key laptop was revoked.");
  await expectFocus(page.getByRole("heading", { level: 1 }));
  expect(await button("Revoke the key laptop").count()).toBe(0);
});

test("by the keyboard alone, a session is ended, and then all others", async () => {
  const { press, expectFocus } = keyboard;
  await new Browser(world.http, { address: "2001:db8::7" }).signIn(email);
  await new Browser(world.http, { address: "192.0.2.7" }).signIn(email);
  await page.goto(`${world.url}/settings/sessions`);
  const ends = page.getByRole("button", { name: /^End the session/ });
  await expect.poll(() => ends.count()).toBe(2);
  await press(/^End the session of .* at 2001:db8:/);
  await expectText(page, "The session was ended.");
  await expectFocus(ends);
  await press("End all other sessions");
  await expectText(page, "1 session was ended.");
  await expect.poll(() => ends.count()).toBe(0);
});

test("by the keyboard alone, somebody is invited, gets another role, and is removed from the team", async () => {
  const { press, sayYes, tabTo, write, field } = keyboard;
  await page.goto(`${world.url}/settings/team`);
  await write("Name of the team", "Rockets");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "Rockets" }).waitFor();
  const guest = newEmail();
  await write("E-mail address to invite", guest);
  await tabTo(field("Role"));
  await page.keyboard.type("developer");
  await press("Invite");
  await expectText(page, `A mail with a link is on its way to ${guest}.`);
  expect(await page.getByRole("row").filter({ hasText: guest }).innerText()).toContain("developer");

  await new Browser(world.http).join(guest);
  const team = new URL(page.url()).searchParams.get("team");
  await world.http.database.query(
    "insert into team_members (team_id, user_id, role) select $1, id, 'developer' from users where email = $2",
    [team, guest],
  );
  await page.reload();
  await tabTo(page.getByLabel(`Role of ${guest}`));
  await page.keyboard.type("viewer");
  await press(`Change the role of ${guest}`);
  await expectText(page, `${guest} is viewer now.`);
  await press(`Remove ${guest}`);
  await sayYes();
  await expectText(page, `${guest} was removed from the team.`);
  const { rows } = await world.http.database.query("select user_id from team_members where team_id = $1", [team]);
  expect(rows).toHaveLength(1);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
