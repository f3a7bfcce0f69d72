import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../support/api/http.ts";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addPersonWithKey, expectHeading } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser } from "../support/people/person.ts";

let world: PagesWorld;
let page: Page;
let caller: Caller;
let keyboard: ReturnType<typeof byKeyboard>;

beforeAll(async () => {
  world = await startPagesWorld();
  ({ page, caller } = await addPersonWithKey(world));
  keyboard = byKeyboard(page);
  await caller.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/ada/shop" });
});
afterAll(() => world?.stop());

async function openPage(tab: string, heading: string): Promise<void> {
  await page.goto(`${world.url}/apps/shop${tab}`);
  await expectHeading(page, `shop: ${heading}`);
}

const appNow = async (name = "shop") => (await caller.call("GET", `/api/apps/${name}`)).json["app"];

test("by the keyboard alone, settings are saved", async () => {
  const { write } = keyboard;
  await openPage("/settings", "Settings");
  await write("Port", "4000");
  await page.keyboard.press("Enter");
  await page.getByText("The settings were saved.").waitFor();
  expect(await appNow()).toMatchObject({ port: 4000 });
});

test("by the keyboard alone, a deploy key is made and removed", async () => {
  const { button, press, sayYes } = keyboard;
  await openPage("/settings", "Settings");
  await press("Make a key");
  await page.getByText(/^ssh-ed25519 /).waitFor();
  await press("Remove the key");
  await sayYes();
  await button("Make a key").waitFor();
  expect(await caller.call("GET", "/api/apps/shop/deploy-key")).toMatchObject({ status: 404 });
});

test("by the keyboard alone, a variable is set, sealed and deleted", async () => {
  const { press, sayYes, write } = keyboard;
  await openPage("/env", "Variables");
  await write("Name of the variable", "TOKEN");
  await write("Value", "s3cret");
  await page.keyboard.press("Enter");
  await press(/^Seal TOKEN/);
  await sayYes();
  await page.getByText("sealed: nobody reads it again").waitFor();
  await press(/^Delete TOKEN/);
  await sayYes();
  await page.getByText("The app has no variables.").waitFor();
  expect(await caller.call("GET", "/api/apps/shop/env")).toMatchObject({ json: { env: {} } });
});

test("by the keyboard alone, a receiver of messages is added, its deliveries are read, and it is removed", async () => {
  const { expectFocus, field, press, sayYes, write } = keyboard;
  await openPage("/webhooks", "Webhooks");
  // A public address, so that no name has to be looked up.
  await write("Address", "https://192.0.2.1/hook");
  await page.keyboard.press("Enter");
  const refusal = page.getByText(/public/).last();
  await refusal.waitFor();
  await expectFocus(field("Address").or(page.getByRole("alert")));
  await write("Address", "https://93.184.215.14/hook");
  await page.keyboard.press("Enter");
  const heading = page.getByRole("heading", { name: "https://93.184.215.14/hook" });
  await heading.waitFor();
  // The secret, which is shown this once, has the focus.
  await expectFocus(page.locator(".secret"));
  await press(/^Remove https/);
  await sayYes();
  await page.getByText("There are no receivers yet.").waitFor();
  expect(await caller.call("GET", "/api/apps/shop/webhooks")).toMatchObject({ json: { webhooks: [] } });
});

test("by the keyboard alone, a question is answered with Cancel, and the focus is where it was", async () => {
  const { button, expectFocus, press } = keyboard;
  await openPage("", "Overview");
  await press("Stop");
  await expectFocus(button("Cancel"));
  await page.keyboard.press("Enter");
  await expectFocus(button("Stop"));
});

test("by the keyboard alone, an app is given to another team", async () => {
  const { tabTo, press } = keyboard;
  await caller.call("POST", "/api/apps", { name: "gift", repo_url: "https://github.com/ada/gift" });
  const cookies = await page.context().cookies(world.url);
  const person = new Browser(world.http);
  person.cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  await person.post("/api/teams", { name: "Crew" });
  await page.goto(`${world.url}/apps/gift/settings`);
  await expectHeading(page, "gift: Settings");
  await tabTo(page.getByLabel("Write gift to go on").first());
  await page.keyboard.type("gift");
  await tabTo(page.getByLabel("Team", { exact: true }));
  await page.keyboard.type("Crew");
  const loadedAgain = page.waitForEvent("load");
  await press("Give it to the team");
  await loadedAgain;
  await expect.poll(async () => (await caller.call("GET", "/api/apps/gift")).status).toBe(404);
});

test("by the keyboard alone, an app is deleted by whoever writes its name", async () => {
  const { field, expectFocus, press } = keyboard;
  await openPage("/settings", "Settings");
  await press("Delete the app …");
  // The form that opened has the focus in its field.
  await expectFocus(field("Write shop to go on").last());
  await page.keyboard.type("shop");
  await page.keyboard.press("Enter");
  await expectHeading(page, "Apps");
  expect(await caller.call("GET", "/api/apps/shop")).toMatchObject({ status: 404 });
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
