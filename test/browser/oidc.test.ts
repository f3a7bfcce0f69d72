import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectHeading, linkTo, press, turnOnSecondFactor } from "../support/people/on-page.ts";
import { mailsTo } from "../support/people/outbox.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../support/people/openid-provider.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser, PASSWORD } from "../support/people/person.ts";

const NARROW = { width: 360, height: 640 };

let world: PagesWorld;
let company: OpenIdProvider;
beforeAll(async () => {
  world = await startPagesWorld({
    signUp: { mode: "open", domains: [] },
    providersAt: async (baseUrl) => {
      company = await startOpenIdProvider({ id: "company", baseUrl });
      return [company.provider];
    },
  });
});
afterEach(() => world.signOutAll());
afterAll(async () => {
  await world?.stop();
  await company?.stop();
});

/** At the provider's own page, where the browser is. */
async function enterAtCompany(page: Page, email: string): Promise<void> {
  await expectHeading(page, "Company");
  await page.getByLabel("Address").fill(email);
  await press(page, "Go on");
}

const signInWithCompany = (page: Page) => page.getByRole("link", { name: "Sign in with Company" }).click();
const connections = (page: Page) => page.getByRole("region", { name: "Sign in with a provider" });

test("somebody new signs in at the provider, sets a password by mail, and disconnects the provider", async () => {
  const email = "grace@example.com";
  const page = await world.openBrowser();
  await page.goto(`${world.url}/settings/profile`);
  await signInWithCompany(page);
  await enterAtCompany(page, email);
  await page.waitForURL(`${world.url}/settings/profile`);
  await page.getByText(`${email} (confirmed)`).waitFor();
  await page.getByText("Ada of the provider").waitFor();

  await connections(page).getByText("You have no password.").waitFor();
  await press(page, "Disconnect Company");
  await connections(page).getByText("Your account would have neither a password nor a provider.").waitFor();
  await connections(page).getByRole("link", { name: "Set one by mail" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await press(page, "Send the mail");
  await page.getByText("a mail with a link is on its way there").waitFor();
  await page.goto(await linkTo(world, email, "reset"));
  await page.getByLabel("New password").fill(PASSWORD);
  await press(page, "Change the password");
  await page.getByText("Your password was changed").waitFor();

  // The provider still knows them, and asks for nothing.
  await page.goto(`${world.url}/sign-in?to=/settings/profile`);
  await signInWithCompany(page);
  await page.waitForURL(`${world.url}/settings/profile`);
  await connections(page).getByLabel("Current password").fill(PASSWORD);
  await press(page, "Disconnect Company");
  await connections(page).getByText("Company is disconnected, and all other sessions were ended.").waitFor();
  await connections(page).getByRole("button", { name: "Connect Company" }).waitFor();
  expect((await mailsTo(world.http, email)).at(-1)?.text).toContain("Company was disconnected");
});

test("whoever has an account connects the provider on their profile, and is asked for their second factor", async () => {
  const email = "hedy@example.com";
  const { cookie } = await new Browser(world.http).join(email);
  const page = await world.openBrowser();
  await page.goto(`${world.url}/sign-in`);
  await signInWithCompany(page);
  await enterAtCompany(page, email);
  await expectHeading(page, "Sign in");
  expect(await page.getByRole("alert").innerText()).toContain("There is an account with your e-mail address already.");

  const owner = await world.openBrowser(cookie);
  await owner.goto(`${world.url}/settings/profile`);
  const { nextCode } = await turnOnSecondFactor(world, owner);
  await connections(owner).getByLabel("Current password").fill(PASSWORD);
  await press(owner, "Connect Company");
  await enterAtCompany(owner, email);
  await connections(owner).getByText("Company is connected: it signs you in.").waitFor();

  await page.goto(`${world.url}/sign-in?to=/settings/sessions`);
  await signInWithCompany(page);
  await page.getByLabel("Code").fill(nextCode());
  await press(page, "Sign in with the code");
  await page.waitForURL(`${world.url}/settings/sessions`);
});

test("whoever cancels at the provider reads why they are back, and what they may do", async () => {
  const page = await world.openBrowser();
  await page.goto(`${world.url}/sign-in`);
  await signInWithCompany(page);
  await expectHeading(page, "Company");
  await press(page, "Cancel");
  await expectHeading(page, "Sign in");
  expect(await page.getByRole("alert").innerText()).toContain("it was canceled there");
  await page.goto(`${world.url}/sign-in?refused=<b>You won</b>`);
  await page.getByRole("link", { name: "Sign in with Company" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("axe finds nothing wrong with a provider on the sign-in and the profile, and both fit a narrow screen", async () => {
  const { cookie } = await new Browser(world.http).join("mary@example.com");
  const problems: string[] = [];
  for (const [path, signedIn, what] of [
    ["/sign-in?refused=unreachable", "", "Sign in with Company"],
    ["/settings/profile", cookie, "Connect Company"],
  ] as const) {
    const page = await world.openBrowser(signedIn);
    await page.setViewportSize(NARROW);
    await page.goto(world.url + path);
    await page.getByText(what).waitFor();
    if ((await page.evaluate("document.documentElement.scrollWidth")) !== NARROW.width)
      problems.push(`${path} is wide`);
    problems.push(...(await accessibilityProblems(page)));
  }
  expect(problems).toEqual([]);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
