import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "@svc/control-plane/api/serve-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import {
  addPerson,
  expectFocus,
  expectHeading,
  expectText,
  field,
  linkTo,
  newEmail,
  press,
  signIn,
  turnOnSecondFactor,
} from "../support/people/on-page.ts";
import { hearOf } from "../support/people/operator.ts";
import { Browser, joinToken, PASSWORD } from "../support/people/person.ts";
import { addDeploy } from "../support/api/pipeline.ts";
import { makeTeam } from "../support/api/team-world.ts";

const NEW_PASSWORD = "another long password";
const NARROW = { width: 360, height: 640 };

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

test("somebody who is invited joins, signs out, and comes back to the page that was asked for", async () => {
  const email = newEmail();
  const page = await world.openBrowser();
  await page.goto(`${world.url}/join#token=${await joinToken(world.http, email)}`);
  await field(page, "Name").fill("Ada");
  await field(page, "Password").fill("short");
  await press(page, "Join");
  await expectText(page, "The password has 5 characters: use 12 to 128.");
  await field(page, "Password").fill(PASSWORD);
  await press(page, "Join");
  await expectHeading(page, "Apps");
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");

  await page.goto(`${world.url}/settings/profile?from=mail`);
  await page.waitForURL(`${world.url}/sign-in?to=${encodeURIComponent("/settings/profile?from=mail")}`);
  await signIn(page, email);
  await page.waitForURL(`${world.url}/settings/profile?from=mail`);
  await expectText(page, `${email} (confirmed)`);
});

test("a sign-in asks for the second factor once it is on, and a recovery code takes its place", async () => {
  const { email, page } = await addPerson(world);
  await page.goto(`${world.url}/settings/profile`);
  const { nextCode, recoveryCodes } = await turnOnSecondFactor(world, page);

  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await signIn(page, email);
  await field(page, "Code").fill("000000");
  await press(page, "Sign in with the code");
  await expectText(page, "The code is wrong, or was used already. Wait for the next one.");
  expect(await page.evaluate("document.activeElement.name")).toBe("code");
  await field(page, "Code").fill(nextCode());
  await press(page, "Sign in with the code");
  await expectHeading(page, "Apps");

  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await signIn(page, email);
  await field(page, "Code").fill(recoveryCodes[0]!);
  await press(page, "Sign in with the code");
  await expectHeading(page, "Apps");
});

test("a forgotten password is reset by the link of a mail", async () => {
  const { email, page } = await addPerson(world);
  await press(page, "Sign out");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await field(page, "E-mail address").fill(email);
  await press(page, "Send the mail");
  await expectText(page, `If ${email} has an account, a mail with a link is on its way there.`);
  await page.goto(await linkTo(world, email, "reset"));
  await field(page, "New password").fill(NEW_PASSWORD);
  await press(page, "Change the password");
  await expectText(page, "Your password was changed, and all sessions were ended.");
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, email);
  await expectText(page, "The e-mail address or the password is wrong.");
  await field(page, "Password").fill(NEW_PASSWORD);
  await press(page, "Sign in");
  await expectHeading(page, "Apps");
});

test("a session elsewhere is ended, and its next page asks to sign in", async () => {
  const { email, page } = await addPerson(world);
  const elsewhere = await world.openBrowser();
  await elsewhere.goto(`${world.url}/sign-in`);
  await signIn(elsewhere, email);
  await expectHeading(elsewhere, "Apps");
  await new Browser(world.http, { address: "2001:db8::7" }).signIn(email);
  await page.goto(`${world.url}/settings/sessions`);
  await expectText(page, "this session");
  const table = page.getByRole("table");
  await expect.poll(() => table.getByRole("row").count()).toBe(1 + 3);
  await table.getByRole("button", { name: /^End the session of Chrome on Linux at 2001:db8:/ }).click();
  await expectText(page, "The session was ended.");
  await elsewhere.goto(`${world.url}/settings/keys`);
  await expectHeading(elsewhere, "Sign in");
  await press(page, "End all other sessions");
  await expectText(page, "1 session was ended.");
  await expect.poll(() => table.getByRole("row").count()).toBe(1 + 1);
});

test("a key is made, shown once, works, and is refused once it is revoked", async () => {
  const { page } = await addPerson(world);
  await page.goto(`${world.url}/settings/keys`);
  await expectText(page, "You have no keys.");
  await field(page, "Name").fill("laptop");
  await page.getByLabel("apps:read").check();
  await press(page, "Make the key");
  const key = await page.locator("pre").innerText();
  expect(key).toMatch(/^svc_/);
  const call = async () => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${world.url}/api/apps`, { headers })).status;
  };
  expect(await call()).toBe(200);
  await page.reload();
  await page.getByRole("rowheader", { name: "laptop" }).waitFor();
  expect(await page.content()).not.toContain(key);
  await press(page, "Revoke the key laptop");
  await press(page, "Yes, revoke the key laptop");
  await expectText(page, "The key laptop was revoked.");
  expect(await call()).toBe(401);
});

describe("a device that asks for a key", () => {
  async function send(path: string, form: Record<string, string>) {
    const body = new URLSearchParams({ client_id: "svc-cli", ...form });
    const response = await fetch(world.url + path, { method: "POST", body });
    return (await response.json()) as Record<string, string>;
  }
  const ask = () => send("/auth/device/code", { device_name: "laptop", scope: "apps:read deploys:write" });
  const fetchKey = ({ device_code = "" }: Record<string, string>) =>
    send("/auth/device/token", { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code });

  test("is shown to its person, who signs in first, and gets a key once they approve", async () => {
    const { email, page } = await addPerson(world);
    await press(page, "Sign out");
    await expectHeading(page, "Sign in");
    const asked = await ask();
    await page.goto(asked["verification_uri_complete"]!);
    await signIn(page, email);
    await expectText(page, asked["user_code"]!);
    await expectText(page, "apps:read, deploys:write");
    expect(await accessibilityProblems(page)).toEqual([]);
    await press(page, "Approve");
    await expectText(page, "Approved. Go back to the terminal");
    expect(await fetchKey(asked)).toMatchObject({ access_token: expect.stringMatching(/^svc_/) });
  });

  test("gets nothing when they deny, or from a code that is mistyped", async () => {
    const { page } = await addPerson(world);
    const asked = await ask();
    await page.goto(`${world.url}/device`);
    await field(page, "Code that the terminal shows").fill("BCDF-GHJK");
    await press(page, "Go on");
    await expectText(page, "No request waits with this code");
    await page.goto(`${world.url}/device?user_code=${asked["user_code"]}`);
    await press(page, "Deny");
    await expectText(page, "Denied. Nothing was given to the device.");
    expect(await fetchKey(asked)).toMatchObject({ error: "access_denied" });
  });
});

describe("an invitation to a team", () => {
  async function invite(email: string) {
    const team = await makeTeam(world.http, "Rockets");
    await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, { email, role: "developer" });
    return linkTo(world, email, "invitation");
  }

  test("is accepted after a sign-in, which the link survives", async () => {
    const { email, page } = await addPerson(world);
    await press(page, "Sign out");
    await expectHeading(page, "Sign in");
    await page.goto(await invite(email));
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await expectHeading(page, "Sign in");
    await signIn(page, email);
    await press(page, "Accept the invitation");
    await expectText(page, "You are in the team Rockets now, as developer.");
    await page.getByRole("link", { name: "See the team" }).click();
    await expectText(page, "You are in this team as developer.");
  });

  test("makes an account for somebody who has none", async () => {
    const email = newEmail();
    const page = await world.openBrowser();
    await page.goto(await invite(email));
    await field(page, "Name").fill("Ben");
    await field(page, "Password").fill(PASSWORD);
    await press(page, "Join");
    await expectHeading(page, "Apps");
    await page.getByRole("link", { name: "Teams" }).click();
    await page.getByRole("link", { name: "Rockets" }).waitFor();
  });
});

test("a sign-in needs no mouse, and its refusal is said where the focus goes", async () => {
  const email = newEmail();
  await new Browser(world.http).join(email);
  const page = await world.openBrowser();
  await page.goto(`${world.url}/sign-in`);
  await expectFocus(field(page, "E-mail address"));
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.type("wrong horse battery");
  await page.keyboard.press("Enter");
  await expectText(page, "The e-mail address or the password is wrong.");
  await expectFocus(field(page, "Password"));
  const described = await field(page, "Password").getAttribute("aria-describedby");
  expect(await page.locator(`[id="${described}"]`).innerText()).toBe("The e-mail address or the password is wrong.");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await expectHeading(page, "Apps");
});

test("a link that was used, is incomplete, or leads elsewhere is refused in words", async () => {
  const page = await world.openBrowser();
  await page.goto(`${world.url}/verify#token=${"A".repeat(43)}`);
  await press(page, "Confirm the address");
  await expectText(page, "This link was used already, or has expired. Ask for a new one.");
  await page.goto(`${world.url}/reset`);
  await expectText(page, "This link is incomplete");
  await page.goto(`${world.url}/join#token=${"A".repeat(43)}`);
  await page.getByRole("link", { name: "sign in" }).waitFor();
  await page.goto(`${world.url}/sign-up`);
  await field(page, "E-mail address").fill("eve@example.com");
  await press(page, "Send the mail");
  expect(await page.getByRole("alert").innerText()).toMatch(/invitation/);
  const { email } = await addPerson(world);
  await page.goto(`${world.url}/sign-in?to=${encodeURIComponent("//elsewhere.example")}`);
  await signIn(page, email);
  await page.waitForURL(`${world.url}/`);
});

test("axe finds nothing wrong with any page, light and dark and in high contrast, and each fits a narrow screen", async () => {
  const { email, page } = await addPerson(world);
  await page.goto(`${world.url}/settings/team`);
  await field(page, "Name of the team").fill("Balloons");
  await press(page, "Make the team");
  await page.getByRole("heading", { level: 2, name: "Balloons" }).waitFor();
  const team = page.url().slice(world.url.length);
  const token = `#token=${"A".repeat(43)}`;
  const signedOut = await world.openBrowser();
  const { rows } = await world.http.database.query(
    "update users set is_operator = true where email = $1 returning id",
    [email],
  );
  await hearOf(world.http, await world.http.addServer("hello"));
  const caller = await world.http.addCaller({ userId: (rows[0] as { id: string }).id });
  const { json } = await caller.call("POST", "/api/apps", { name: "hello", repo_url: "https://github.com/you/hello" });
  const deploy = await addDeploy(
    world.http.parts.db,
    { id: (json["app"] as { id: string }).id, userId: caller.userId },
    null,
  );
  const filled = (path: string) => path.replace(":name", "hello").replace(":id", deploy);

  const open = ["/sign-in", "/sign-up", "/forgot", "/join", "/reset", "/verify", "/address", "/invitation"];
  const personal = [
    "/",
    ...Object.keys(PAGES)
      .filter((path) => !open.includes(path))
      .map(filled),
    team,
  ];
  async function problemsOf(visitor: Page, paths: readonly string[]): Promise<string[]> {
    const problems: string[] = [];
    for (const path of paths) {
      await visitor.goto(world.url + path);
      await visitor.getByRole("heading", { level: 1 }).waitFor();
      await visitor.getByText("Loading …").first().waitFor({ state: "detached" });
      const width = await visitor.evaluate("document.documentElement.scrollWidth");
      if (width !== NARROW.width) problems.push(`${path} is ${String(width)} px wide`);
      problems.push(...(await accessibilityProblems(visitor)).map((problem) => `${path}: ${problem}`));
    }
    return problems;
  }
  for (const visitor of [page, signedOut]) await visitor.setViewportSize(NARROW);
  const withToken = open.map((path) => path + token);
  expect(await Promise.all([problemsOf(page, personal), problemsOf(signedOut, withToken)])).toEqual([[], []]);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
