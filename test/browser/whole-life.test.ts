import { afterAll, beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import { makeTeam } from "../support/api/team-world.ts";
import {
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
import { Browser, fromBase32, PASSWORD, tokenOf } from "../support/people/person.ts";
import { openSvcTerminal } from "../support/svc/svc-terminal.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";

let world: PagesWorld;
let user: SvcUser;
beforeAll(async () => {
  [world, user] = await Promise.all([startPagesWorld(), makeSvcUser()]);
});
afterAll(async () => {
  await user?.remove();
  await world?.stop();
});

const statusWith = async (key: string) =>
  (await fetch(`${world.url}/api/apps`, { headers: { Authorization: `Bearer ${key}` } })).status;

async function invite(email: string): Promise<string> {
  const team = await makeTeam(world.http, "Rockets");
  await team.ownerIn.call("POST", `/api/teams/${team.id}/invitations`, { email, role: "developer" });
  return linkTo(world, email, "invitation");
}

test("the whole life of a person in a browser: invited, protected, at a terminal, with a key, signed out everywhere", async () => {
  const email = newEmail();
  const page = await world.openBrowser();
  await page.goto(await invite(email));
  await field(page, "Name").fill("Ada");
  await field(page, "Password").fill(PASSWORD);
  await press(page, "Join");
  await expectHeading(page, "Apps");
  await page.goto(`${world.url}/settings/profile`);
  // The link of the mail has proven it.
  await expectText(page, `${email} (confirmed)`);

  const { nextCode } = await turnOnSecondFactor(world, page);
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");

  const terminal = openSvcTerminal(user, ["login", world.url], {});
  await terminal.sees(/Ctrl-C leaves/);
  const userCode = /^ {4}([A-Z]{4}-[A-Z]{4})\r?$/m.exec(terminal.screen())![1]!;
  await page.goto(`${world.url}/device?user_code=${userCode}`);
  await signIn(page, email);
  await field(page, "Code").fill(nextCode());
  await press(page, "Sign in with the code");
  await expectText(page, userCode);
  await press(page, "Approve");
  await terminal.sees(`Logged in to ${world.url}`);
  expect(await terminal.ended).toBe(0);
  expect((await user.svc(["whoami"])).stdout).toContain(email);

  await page.goto(`${world.url}/settings/keys`);
  await field(page, "Name").fill("ci");
  await press(page, "Make the key");
  const key = await page.locator("pre").innerText();
  expect(await statusWith(key)).toBe(200);
  await page.reload();
  await press(page, "Revoke the key ci");
  await press(page, "Yes, revoke the key ci");
  await expectText(page, "The key ci was revoked.");
  // A read may be a notification old.
  await expect.poll(() => statusWith(key)).toBe(401);

  const logout = await user.svc(["logout"]);
  expect([logout.status, (await user.svc(["whoami"])).status]).toEqual([0, 3]);
  const elsewhere = new Browser(world.http);
  const { challenge } = (await elsewhere.signIn(email)).json as { challenge: string };
  expect((await elsewhere.post("/auth/second-factor/answer", { challenge, code: nextCode() })).status).toBe(200);
  await page.goto(`${world.url}/settings/sessions`);
  await press(page, "End all other sessions");
  await expectText(page, "1 session was ended.");
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  expect(await elsewhere.who()).toBeUndefined();
  await page.goto(world.url);
  await expectHeading(page, "Sign in");
  expect(world.complaints).toEqual([]);
});

test("the same life by API", async () => {
  const email = newEmail();
  const ada = new Browser(world.http);
  const joined = { token: tokenOf(await invite(email)), name: "Ada", password: PASSWORD };
  expect((await ada.post("/auth/join", joined)).status).toBe(201);
  expect((await ada.get("/auth/session")).json["person"]).toMatchObject({ email, email_verified: true });

  const secret = fromBase32((await ada.post("/auth/second-factor", { password: PASSWORD })).json["secret"] as string);
  const code = () => totpCode(secret, totpStep(world.now()));
  expect((await ada.post("/auth/second-factor/confirm", { code: code() })).status).toBe(200);
  world.later();
  expect((await ada.post("/auth/sign-out")).status).toBe(204);
  const { challenge } = (await ada.signIn(email)).json as { challenge: string };
  expect((await ada.post("/auth/second-factor/answer", { challenge, code: code() })).status).toBe(200);

  const send = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: "svc-cli", ...form });
    return (await (await fetch(world.url + path, { method: "POST", body })).json()) as Record<string, string>;
  };
  const asked = await send("/auth/device/code", { device_name: "laptop" });
  expect((await ada.post("/auth/device/approve", { user_code: asked["user_code"] })).status).toBe(200);
  const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked["device_code"]! };
  const fetched = await send("/auth/device/token", grant);
  expect(await statusWith(fetched["access_token"]!)).toBe(200);

  const { id, key } = (await ada.post("/auth/keys", { name: "ci" })).json as { id: string; key: string };
  expect(await statusWith(key)).toBe(200);
  expect((await ada.delete(`/auth/keys/${id}`)).status).toBe(204);
  // A read may be a notification old.
  await expect.poll(() => statusWith(key)).toBe(401);

  expect((await ada.delete("/auth/sessions")).status).toBe(200);
  expect((await ada.post("/auth/sign-out")).status).toBe(204);
  expect(await ada.who()).toBeUndefined();
});
