import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DomainChecks } from "@svc/control-plane/ports.ts";
import type { Caller } from "../support/api/http.ts";
import { addLiveRelease, ScriptedApps } from "../support/api/scripted-apps.ts";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addPersonWithKey, expectHeading, field, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { PASSWORD } from "../support/people/person.ts";

const NARROW = { width: 360, height: 640 };

let world: PagesWorld;
let page: Page;
let caller: Caller;

const domainChecks: DomainChecks = {
  txt: async () => ({ values: [] }),
  address: async () => ({ leadsHere: true }),
  handshake: async () => ({ error: "no certificate" }),
};

beforeAll(async () => {
  world = await startPagesWorld({ domainChecks });
  ({ page, caller } = await addPersonWithKey(world));
  const { query } = world.http.database;
  await query("update users set is_operator = true, tier = 'team' where id = $1", [caller.userId]);
  const serverId = await world.http.addServer("berlin");
  // An agent that gives logs.
  world.http.links.clients.set(serverId, new ScriptedApps().client());
  for (const name of ["shop", "cart"])
    await caller.call("POST", "/api/apps", { name, repo_url: "https://github.com/ada/shop" });
  for (const release of ["v1", "v2"]) {
    const env = release === "v1" ? { GREETING: "hello" } : { GREETING: "welcome" };
    await addLiveRelease(world.http.parts, { name: "shop", userId: caller.userId, serverId, release, env });
  }
  await caller.call("PUT", "/api/apps/shop/env", { env: { TOKEN: "s3cret" } });
  await caller.call("POST", "/api/apps/shop/webhooks", { url: "https://93.184.215.14/hook" });
  await query(
    "insert into domains (domain, app_id, leads_here, active, owner_proven) select $1, id, true, true, true from apps where name = 'shop'",
    ["shop.example.org"],
  );
  await page.setViewportSize(NARROW);
});
afterAll(() => world?.stop());

async function open(path: string, heading: string): Promise<void> {
  await page.goto(world.url + path);
  await expectHeading(page, heading);
}

/** Requires of the page, as it is now, what every page fulfils when it opens. */
async function expectAccessible(): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(NARROW.width);
}

test("the palette is accessible with its choices, with none, and leaves the focus inside", async () => {
  const { expectFocus } = byKeyboard(page);
  await open("/apps/shop/env", "shop: Variables");
  await page.getByRole("rowheader", { name: "TOKEN" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to a page" });
  await palette.getByRole("option", { name: "cart", exact: true }).waitFor();
  await expectFocus(palette.getByRole("combobox"));
  await expectAccessible();
  await palette.getByRole("combobox").fill("nothing of this name");
  await palette.getByText("Nothing has these words in its name.").waitFor();
  await expectAccessible();
});

test("the palette leads to the page of what was chosen, and deploys nothing by itself", async () => {
  const deploys = async () => (await world.http.database.query("select id from deploys")).rows.length;
  const before = await deploys();
  await open("/apps/shop", "shop: Overview");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to a page" });
  await palette.getByRole("combobox").fill("deploy shop");
  await palette.getByRole("option", { name: "Deploy shop" }).waitFor();
  await page.keyboard.press("Enter");
  await expectHeading(page, "shop: Deploys");
  expect(await deploys()).toBe(before);
});

test.each([
  ["/apps/shop", "shop: Overview", "Stop"],
  ["/apps/shop/env", "shop: Variables", "Seal TOKEN"],
  ["/apps/shop/env", "shop: Variables", "Delete TOKEN"],
  ["/apps/shop/deploys", "shop: Deploys", "Roll back to v1"],
  ["/apps/shop/domains", "shop: Domains", "Remove shop.example.org"],
  ["/apps/shop/webhooks", "shop: Webhooks", /^Remove https/],
  ["/settings/keys", "Keys", "Revoke the key test"],
  ["/servers/berlin", "berlin", "Drain berlin"],
])("the question on %s, %s, after the press of %s is accessible and has the focus", async (path, heading, name) => {
  const { expectFocus, button } = byKeyboard(page);
  await open(path, heading);
  await press(page, name);
  await expectFocus(button("Cancel"));
  await expectAccessible();
});

test.each([
  ["/apps/shop/env", "Name of the variable", "1 wrong", "Set the variable"],
  ["/apps/shop/env", "Content of the file", "no line of an env file", "Set all of them"],
  ["/apps/shop/domains", "Domain", "no domain", "Add the domain"],
  ["/apps/shop/domains", "Domain", "cart.example.org", "Add the domain"],
  ["/apps/shop/webhooks", "Address", "https://127.0.0.1/hook", "Add the receiver"],
  ["/apps/shop/settings", "Port", "none", "Save the settings"],
  ["/apps/shop/settings", "Memory at most", "1 GB", "Save the settings"],
  ["/settings/keys", "Apps", "No_App", "Make the key"],
  ["/settings/team", "Name of the team", " ", "Make the team"],
  ["/servers", "Name", "No Name", "Make a join command"],
])(
  "the form on %s is accessible when %s %j is refused, and the focus goes to the refusal",
  async (path, ...entered) => {
    const [label, text, action] = entered;
    await page.goto(world.url + path);
    const form = page.locator("form").filter({ has: page.getByRole("button", { name: action }) });
    await form.waitFor();
    // The other fields are filled, so that the service and not the browser refuses it.
    for (const input of await form.locator("input[required]").all()) await input.fill(PASSWORD);
    await form.getByLabel(label, { exact: true }).fill(text);
    await form.getByRole("button", { name: action }).click();
    await form.locator(".refusal").waitFor();
    await expect
      .poll(() => form.locator('[role="alert"]:focus, [aria-invalid="true"]:focus').count(), {
        message: "the refusal has the focus",
      })
      .toBe(1);
    await expectAccessible();
  },
);

test.each([
  ["/settings/keys", { Name: "another" }, "Make the key"],
  ["/apps/shop/webhooks", { Address: "https://93.184.215.14/other" }, "Add the receiver"],
  ["/servers", { Name: "paris", "Current password": PASSWORD }, "Make a join command"],
  ["/settings/profile", { "Current password": PASSWORD }, "Set up a second factor"],
])("what %s shows once is accessible, and has the focus", async (path, values, action) => {
  await page.goto(world.url + path);
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: action }) });
  for (const [label, text] of Object.entries(values)) await form.getByLabel(label, { exact: true }).fill(text);
  await form.getByRole("button", { name: action }).click();
  await byKeyboard(page).expectFocus(page.locator("section.secret"));
  await expectAccessible();
  await page.getByRole("button", { name: "Copy" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: /^Copied|^This browser/ })
    .waitFor();
  await expectAccessible();
});

const TABS = ["", "/deploys", "/env", "/domains", "/logs", "/metrics", "/webhooks", "/settings"];
const OTHERS = ["/", "/new", "/settings/team", "/activity", "/chat", "/servers", "/servers/berlin", "/teams"];

test.each([...TABS.map((tab) => `/apps/shop${tab}`), ...OTHERS])(
  "the commands that the page %s opens are accessible",
  async (path) => {
    await page.goto(world.url + path);
    await page.getByText("The same from a terminal").click();
    await page.locator("details.commands pre").first().waitFor();
    await expectAccessible();
  },
);

test("what a roll back would change is accessible when it is opened", async () => {
  await open("/apps/shop/deploys", "shop: Deploys");
  await page.getByRole("link", { name: "v1", exact: true }).click();
  const details = page.locator("details").filter({ hasText: "What a roll back to v1 would change" });
  await details.locator("summary").click();
  await details.getByText("GREETING").waitFor();
  await expectAccessible();
});

test.each([
  ["/apps/shop/settings", "Delete the app …", "Write shop to go on"],
  ["/settings/profile", "Delete the account …", "Current password"],
])("the form on %s that %s opens is accessible, and has the focus", async (path, name, label) => {
  await page.goto(world.url + path);
  await press(page, name);
  await byKeyboard(page).expectFocus(field(page, label).last());
  await expectAccessible();
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
