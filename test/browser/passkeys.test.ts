import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectHeading, expectText, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser, PASSWORD } from "../support/people/person.ts";
import { askedBy, SoftwarePasskey } from "../support/people/software-passkey.ts";

let world: PagesWorld;
beforeAll(async () => {
  // Browsers take no address for a relying party's id.
  world = await startPagesWorld({ host: "localhost" });
});
afterAll(() => world?.stop());

const section = (page: Page) => page.getByRole("region", { name: "Passkeys", exact: true });

/**
 * Gives the browser an authenticator that knows its person, as a laptop with a fingerprint reader has one. It is gone when
 * another session of the debugger ends: axe is for other tests.
 */
async function addAuthenticator(page: Page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("WebAuthn.enable");
  const { authenticatorId } = await debug.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** The next person at the device is somebody else. */
    forgetPerson: () => debug.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false }),
    countPasskeys: async () => (await debug.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
  };
}

async function openProfile(email: string): Promise<Page> {
  const { cookie } = await new Browser(world.http).join(email);
  const page = await world.openBrowser(cookie);
  await page.goto(`${world.url}/settings/profile`);
  await section(page).getByText("You have no passkeys.").waitFor();
  return page;
}

async function addPasskey(page: Page, name?: string): Promise<void> {
  const form = section(page);
  if (name !== undefined) await form.getByLabel("Name of the passkey").fill(name);
  await form.getByLabel("Current password").fill(PASSWORD);
  await form.getByRole("button", { name: "Add a passkey" }).click();
}

test("a person adds a passkey, signs in with it, renames it, removes it, and is refused afterwards", async () => {
  const email = "ada@example.com";
  const page = await openProfile(email);
  const authenticator = await addAuthenticator(page);
  await addPasskey(page);
  await expectText(
    page,
    "The passkey Chrome on Linux was added. It signs you in without a password and without a code.",
  );
  expect(await authenticator.countPasskeys()).toBe(1);
  await addPasskey(page, "again");
  await expectText(page, "This device has a passkey for your account already.");

  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await page.goto(`${world.url}/sign-in?to=/settings/profile`);
  await press(page, "Sign in with a passkey");
  await page.waitForURL(`${world.url}/settings/profile`);
  await expectText(page, `${email} (confirmed)`);

  await press(page, "Rename … the passkey Chrome on Linux");
  await section(page).getByLabel("Name of the passkey").fill("work laptop");
  await press(page, "Rename the passkey");
  await expectText(page, "The passkey is called work laptop now.");
  await page.getByRole("rowheader", { name: "work laptop" }).waitFor();

  await press(page, "Remove … the passkey work laptop");
  await section(page).getByLabel("Current password").fill("wrong horse battery");
  await press(page, "Remove the passkey work laptop");
  await expectText(page, "The password is wrong.");
  await section(page).getByLabel("Current password").fill(PASSWORD);
  await press(page, "Remove the passkey work laptop");
  await expectText(page, "The passkey work laptop was removed.");
  await expectText(page, "You have no passkeys.");

  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await press(page, "Sign in with a passkey");
  await expectText(page, "The passkey was not accepted");
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Sign in");
});

test("a device that does not recognise its person signs nobody in, and the page says so", async () => {
  const page = await openProfile("ben@example.com");
  const authenticator = await addAuthenticator(page);
  await addPasskey(page, "laptop");
  await expectText(page, "The passkey laptop was added.");
  await authenticator.forgetPerson();
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  await press(page, "Sign in with a passkey");
  await expectText(page, "No passkey was used: it was canceled, took too long, or there is none here.");
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Sign in");
});

test("axe finds nothing wrong with the list of passkeys and its forms, and they fit a narrow screen", async () => {
  const browser = await new Browser(world.http).join("dee@example.com");
  const { ticket, options } = askedBy(await browser.post("/auth/passkeys/begin", { password: PASSWORD }));
  const answer = new SoftwarePasskey(world.url).make(options);
  expect((await browser.post("/auth/passkeys", { ticket, name: "laptop", answer })).status).toBe(201);
  const page = await world.openBrowser(browser.cookie);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`${world.url}/settings/profile`);
  for (const action of ["Rename", "Remove"]) {
    await press(page, `${action} … the passkey laptop`);
    await section(page).getByRole("button", { name: "Cancel" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await accessibilityProblems(page)).toEqual([]);
  }
  await press(page, "Cancel");
  await section(page).getByRole("button", { name: "Add a passkey" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("at an address without a name the sign-in offers no passkey, and the profile says why", async () => {
  const plain = await startPagesWorld();
  try {
    const { cookie } = await new Browser(plain.http).join("cy@example.com");
    const page = await plain.openBrowser(cookie);
    await page.goto(`${plain.url}/settings/profile`);
    await section(page)
      .getByText(/^Passkeys need a domain name with HTTPS, or localhost, and this service is at /)
      .waitFor();
    expect(await section(page).getByRole("button").count()).toBe(0);
    const stranger = await plain.openBrowser();
    await stranger.goto(`${plain.url}/sign-in`);
    await stranger.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await stranger.getByRole("button").count()).toBe(1);
    expect(plain.complaints).toEqual([]);
  } finally {
    await plain.stop();
  }
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
