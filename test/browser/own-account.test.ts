import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  addPerson,
  expectHeading,
  expectText,
  field,
  linkTo,
  newEmail,
  press,
  signIn,
  turnOnSecondFactor,
} from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { PASSWORD } from "../support/people/person.ts";
import { makeTeam } from "../support/api/team-world.ts";

const NEW_PASSWORD = "another long password";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

test("an address that is not confirmed yet is confirmed by the link of a mail", async () => {
  const { email, page } = await addPerson(world);
  await world.http.database.query("update users set email_verified_at = null where email = $1", [email]);
  await page.goto(`${world.url}/settings/profile`);
  await expectText(page, `${email} (not confirmed)`);
  await press(page, "Send the mail again");
  await expectText(page, `A mail is on its way to ${email}.`);
  await page.goto(await linkTo(world, email, "verify"));
  await press(page, "Confirm the address");
  await expectText(page, "Your e-mail address is confirmed.");
  await page.goto(`${world.url}/settings/profile`);
  await expectText(page, `${email} (confirmed)`);
});

test("an address is changed by the link of a mail to the new one, which signs in from then on", async () => {
  const { email, page } = await addPerson(world);
  const to = newEmail();
  await page.goto(`${world.url}/settings/profile`);
  const section = page.getByRole("region", { name: "Change your e-mail address" });
  await section.getByLabel("New e-mail address").fill(to);
  await section.getByLabel("Current password").fill(PASSWORD);
  await press(page, "Change the address");
  await expectText(page, `A mail is on its way to ${to}. Your address changes when its link is opened.`);
  await page.goto(await linkTo(world, to, "change_of_address"));
  await press(page, "Use the new address");
  await expectText(page, "Your account has the new e-mail address now.");
  await page.goto(`${world.url}/sign-in`);
  await signIn(page, email);
  await expectText(page, "The e-mail address or the password is wrong.");
  await signIn(page, to);
  await expectHeading(page, "Apps");
});

test("a changed password signs in, and the former one no more", async () => {
  const { email, page } = await addPerson(world);
  await page.goto(`${world.url}/settings/profile`);
  const section = page.getByRole("region", { name: "Change your password" });
  await section.getByLabel("Current password").fill(PASSWORD);
  await section.getByLabel("New password").fill(NEW_PASSWORD);
  await press(page, "Change the password");
  await expectText(page, "Your password was changed, and all other sessions were ended.");
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await signIn(page, email);
  await expectText(page, "The e-mail address or the password is wrong.");
  await signIn(page, email, NEW_PASSWORD);
  await expectHeading(page, "Apps");
});

test("a second factor is turned off with its code, and no sign-in asks for one", async () => {
  const { email, page } = await addPerson(world);
  await page.goto(`${world.url}/settings/profile`);
  const { nextCode } = await turnOnSecondFactor(world, page);
  const section = page.getByRole("region", { name: "Second factor" });
  await section.getByLabel("Current password").fill(PASSWORD);
  await section.getByRole("textbox", { name: "Code" }).fill(nextCode());
  await press(page, "Turn the second factor off");
  await expectText(page, "The second factor is off: a sign-in asks for no code any more.");
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await signIn(page, email);
  await expectHeading(page, "Apps");
});

test("an owner makes a team, invites somebody, and takes the invitation back", async () => {
  const { page } = await addPerson(world);
  await page.goto(`${world.url}/settings/team`);
  await field(page, "Name of the team").fill("Balloons");
  await press(page, "Make the team");
  await page.getByRole("heading", { level: 2, name: "Balloons" }).waitFor();
  await field(page, "E-mail address to invite").fill("ben@example.com");
  await field(page, "Role").selectOption("deployer");
  await press(page, "Invite");
  await expectText(page, "A mail with a link is on its way to ben@example.com.");
  await press(page, "Take back the invitation of ben@example.com");
  await expectText(page, "Nobody is invited.");
  await press(page, "Delete the team");
  await press(page, "Yes, delete the team");
  await page.waitForURL(`${world.url}/settings/team`);
  await expectText(page, "Your personal team");
  expect(await page.getByRole("link", { name: "Balloons" }).count()).toBe(0);
});

test("an owner gives a member another role and removes them; who leaves a team sees it no more", async () => {
  const { email, page } = await addPerson(world);
  const team = await makeTeam(world.http, "Balloons");
  const query = "insert into team_members (team_id, user_id, role) select $1, id, 'owner' from users where email = $2";
  await world.http.database.query(query, [team.id, email]);
  const { userId } = await team.addMember("viewer");
  const { rows } = await world.http.database.query("select email from users where id = $1", [userId]);
  const member = (rows[0] as { email: string }).email;

  await page.goto(`${world.url}/settings/team?team=${team.id}`);
  await page.getByLabel(`Role of ${member}`).selectOption("deployer");
  await press(page, `Change the role of ${member}`);
  await expectText(page, `${member} is deployer now.`);
  await press(page, `Remove ${member}`);
  await press(page, `Yes, remove ${member}`);
  await expectText(page, `${member} was removed from the team.`);
  expect(await page.getByRole("rowheader", { name: member }).count()).toBe(0);

  await press(page, "Leave the team");
  await press(page, "Yes, leave the team");
  await page.waitForURL(`${world.url}/settings/team`);
  await expectText(page, "Your personal team");
  expect(await page.getByRole("link", { name: "Balloons" }).count()).toBe(0);
});

test("a deleted account signs in no more", async () => {
  const { email, page } = await addPerson(world);
  await page.goto(`${world.url}/settings/profile`);
  await press(page, "Delete the account …");
  await page.getByRole("region", { name: "Your data" }).getByLabel("Current password").fill(PASSWORD);
  await press(page, "Delete the account for ever");
  await expectHeading(page, "Sign in");
  await signIn(page, email);
  await expectText(page, "The e-mail address or the password is wrong.");
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
