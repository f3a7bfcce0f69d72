import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { totpCode, totpStep } from "@svc/control-plane/accounts/identity/second-factor/totp.ts";
import { eventually } from "../tools/eventually.ts";
import type { Caller } from "../api/http.ts";
import { mailsTo } from "./outbox.ts";
import type { PagesWorld } from "./pages-world.ts";
import { Browser, fromBase32, PASSWORD } from "./person.ts";

let people = 0;
export const newEmail = (): string => `ada${++people}@example.com`;

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
export const expectHeading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
export const expectText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

export const hasFocus = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(":focus")).count()) > 0;

/** A page gives the focus on with its next frame. */
export const expectFocus = (target: Locator): Promise<void> => expect.poll(() => hasFocus(target)).toBe(true);

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await field(page, "E-mail address").fill(email);
  await field(page, "Password").fill(password);
  await press(page, "Sign in");
}

/** Lets the page's browser copy. @returns reads what was copied last */
export async function openClipboard(page: Page): Promise<() => Promise<string>> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return () => page.evaluate("navigator.clipboard.readText()");
}

/** Asks the API as the person who is signed in on the page. @returns the status */
export async function callAs(page: Page, method: string, path: string, body: object): Promise<number> {
  const sent = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(sent)}).then(({ status }) => status)`);
}

/** Somebody who has an account, a browser where they are signed in, and a key. */
export async function addPersonWithKey(world: PagesWorld): Promise<{ page: Page; caller: Caller }> {
  const { email, page } = await addPerson(world);
  const { rows } = await world.http.database.query("select id from users where email = $1", [email]);
  return { page, caller: await world.http.addCaller({ userId: String(rows[0]?.["id"]) }) };
}

/** Somebody who has an account, and a browser where they are signed in. */
export async function addPerson(world: PagesWorld): Promise<{ email: string; page: Page }> {
  const email = newEmail();
  const { cookie } = await new Browser(world.http).join(email);
  const page = await world.openBrowser(cookie);
  await page.goto(world.url);
  await expectHeading(page, "Apps");
  return { email, page };
}

/** The link of the newest mail of that kind. */
export async function linkTo(world: PagesWorld, email: string, kind: string): Promise<string> {
  const mails = await eventually(
    async () => (await mailsTo(world.http, email)).filter((mail) => mail.kind === kind),
    (found) => found.length > 0,
    { what: `a mail ${kind} to ${email}` },
  );
  return mails.at(-1)!.link;
}

/** Turns a second factor on, on the page Profile. @returns the codes of the person's app, each a new one, and the recovery codes */
export async function turnOnSecondFactor(world: PagesWorld, page: Page) {
  const section = page.getByRole("region", { name: "Second factor" });
  await section.getByLabel("Current password").fill(PASSWORD);
  await press(page, "Set up a second factor");
  const secret = fromBase32((await section.locator("pre").innerText()).replaceAll(" ", ""));
  // The time goes on before and not after: a code of the step before is taken, one of two steps before is not.
  const nextCode = () => {
    world.later();
    return totpCode(secret, totpStep(world.now()));
  };
  await section.getByLabel("Code").fill(nextCode());
  await press(page, "Turn the second factor on");
  await section.getByText("Your recovery codes.").waitFor();
  const recoveryCodes = (await section.locator("pre").innerText()).split("\n");
  return { nextCode, recoveryCodes };
}
