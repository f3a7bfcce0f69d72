import type { Page, Request, Route } from "playwright-core";
import { PAGES } from "@svc/control-plane/api/serve-page.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { isPersonalPath } from "../../control-plane/dashboard/src/text/places.ts";
import { drawerOf, fieldIn } from "../support/people/chat-world.ts";
import { expectFocus, expectHeading, expectText, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { Browser } from "../support/people/person.ts";
import { addPictureData, type PictureData } from "../support/pictures/picture-data.ts";
import { untilShown } from "../support/pictures/until-shown.ts";

let world: PagesWorld;
let data: PictureData;
let page: Page;
beforeAll(async () => {
  world = await startPagesWorld();
  data = await addPictureData(world.http);
});
beforeEach(async () => {
  page = await world.openFreshBrowser(data.cookie);
  return () => page.context().close();
});
afterAll(() => world?.stop());

/** Opens a page as a document, and marks that. */
async function open(path: string): Promise<void> {
  await page.goto(world.url + path);
  await untilShown(page);
  await page.evaluate("window.mark = 'first'");
}

const isSameDocument = (): Promise<boolean> => page.evaluate("window.mark === 'first'");

const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();

async function expectPage(path: string, heading: string): Promise<void> {
  await expectHeading(page, heading);
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await page.title()).toBe(`${heading} · 127.0.0.1`);
}

/** Addresses that the browser asks the service for from now on, without the base address. */
function noteRequests(): string[] {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url().replace(world.url, "")));
  return asked;
}

/** Answers for the service when a page is read within a document. */
const onRead = (path: string, answer: Parameters<Page["route"]>[1]) =>
  page.route(world.url + path, (route, request) =>
    request.resourceType() === "fetch" ? answer(route, request) : route.continue(),
  );

test("a link between pages of a person changes the page, its title and its place in the menu, and no document", async () => {
  await open("/");
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  expect(await page.locator("[aria-current=page]").allInnerTexts()).toEqual(["Keys"]);
  await follow("Apps");
  await expectPage("/", "Apps");
  await follow("shop");
  await expectPage("/apps/shop", "shop: Overview");
  await follow("Variables");
  await expectPage("/apps/shop/env", "shop: Variables");
  await expectText(page, "Set a variable");
  expect(await page.locator("[aria-current=page]").allInnerTexts()).toEqual(["Variables"]);
  expect(await isSameDocument()).toBe(true);
});

test("every page that a person sees is reached within a document from another one, and shows what it shows as one", async () => {
  await open("/new");
  const content = () => page.locator("main").ariaSnapshot();
  const problems: string[] = [];
  for (const path of data.pages.filter((address) => !/^\/(nowhere|new)$/.test(address))) {
    await page.evaluate(`document.title = ""; location.assign(${JSON.stringify(path)})`);
    await expect.poll(() => page.title()).not.toBe("");
    await untilShown(page);
    if (!(await isSameDocument())) problems.push(`${path} is loaded as a document`);
    if ((await content()).split("\n").length < 3) problems.push(`${path} is empty`);
  }
  expect(problems).toEqual([]);
});

test("a link's reads begin beside the script of its page, and each is made once", async () => {
  // Nothing is refreshed meanwhile.
  await page.clock.install();
  await open("/");
  const asked = noteRequests();
  const readsAsked = () => asked.filter((path) => /^[/](auth|api)[/]/.test(path)).toSorted();
  const reads = ["/api/apps/shop", "/api/apps/shop/changes", "/api/apps/shop/variables", "/auth/session"];
  const script = page.waitForEvent("request", (request) => /app-env-\w+\.js/.test(request.url()));
  let goOn = () => {};
  const isAwaited = new Promise<void>((resolve) => (goOn = resolve));
  await page.route(/app-env-\w+\.js/, (route) => isAwaited.then(() => route.continue()));
  await page.evaluate("void location.assign('/apps/shop/env')");
  await script;
  await expect.poll(readsAsked).toEqual(reads);
  goOn();
  await expectPage("/apps/shop/env", "shop: Variables");
  await untilShown(page);
  expect(readsAsked()).toEqual(reads);
});

test("a page's document is read once a minute", async () => {
  await page.clock.install();
  await open("/");
  const asked = noteRequests();
  const reads = () => asked.filter((path) => path === "/settings/keys").length;
  const visit = async () => {
    await follow("Keys");
    await expectPage("/settings/keys", "Keys");
    await follow("Apps");
    await expectPage("/", "Apps");
  };
  await visit();
  await visit();
  expect(reads()).toBe(1);
  await page.clock.runFor(60_000);
  const renewed = page.waitForResponse(`${world.url}/settings/keys`);
  await follow("Keys");
  await (await renewed).finished();
  await follow("Apps");
  await expectPage("/", "Apps");
  await visit();
  expect(reads()).toBe(2);
  expect(await isSameDocument()).toBe(true);
});

test("after a minute a page does not wait for its document; where a newer control plane has another, the next link loads it", async () => {
  await page.clock.install();
  await open("/");
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  await follow("Apps");
  await expectPage("/", "Apps");
  await page.clock.runFor(60_000);
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => (answer = resolve));
  await onRead("/settings/keys", async (route) => {
    await isHeld;
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/pages-\w+\.css/, "newer-12345678.css") });
  });
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  await untilShown(page);
  const renewed = page.waitForResponse(`${world.url}/settings/keys`);
  answer();
  await (await renewed).finished();
  expect(await isSameDocument()).toBe(true);
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  expect(await isSameDocument()).toBe(false);
});

for (const [part, want] of [
  ["palette", () => page.keyboard.press("Control+k")],
  ["chat", () => press(page, "Ask")],
  ["commands", () => page.getByText("The same from a terminal").click()],
] as const) {
  test(`the ${part} that could not be loaded causes no error, and is there on the next page`, async () => {
    await open("/apps/shop");
    await follow("Deploys");
    await expectPage("/apps/shop/deploys", "shop: Deploys");
    await untilShown(page);
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("/assets/"));
    await page.route("**", (route) => route.abort());
    await want();
    await failed;
    if (part === "commands") await expectText(page, "The commands could not be loaded.");
    await page.unrouteAll();
    await follow("Overview");
    await expectPage("/apps/shop", "shop: Overview");
    expect(await isSameDocument()).toBe(false);
    await want();
    const shown = { palette: page.locator("dialog"), chat: drawerOf(page), commands: page.locator(".commands pre") };
    await shown[part].first().waitFor();
    expect(world.complaints.splice(0).filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
  });
}

test("back scrolls to where a person was in a list that is read anew", async () => {
  await open("/apps/shop/env");
  await page.setViewportSize({ width: 800, height: 300 });
  await page.evaluate("scrollTo(0, 400)");
  const was = Number(await page.evaluate("scrollY"));
  expect(was).toBeGreaterThan(100);
  await page.evaluate("location.assign('/settings/keys')");
  await expectPage("/settings/keys", "Keys");
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`${world.url}/api/apps/shop`, async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.goBack();
  await expectPage("/apps/shop/env", "shop: Variables");
  answer();
  await expect.poll(() => page.evaluate("scrollY")).toBe(was);
});

test("all pages are changed within a document but those for somebody who is not signed in", () => {
  const forAnybody = ["address", "forgot", "invitation", "join", "reset", "sign-in", "sign-up", "verify"];
  const others = Object.keys(PAGES).filter((path) => !isPersonalPath(path));
  expect(others.toSorted()).toEqual(forAnybody.map((page) => `/${page}`));
});

test("back and forward lead to the pages that were shown, and to where they were scrolled to", async () => {
  await open("/settings/profile");
  await page.evaluate("scrollTo(0, 300)");
  await page.evaluate("location.assign('/settings/keys')");
  await expectPage("/settings/keys", "Keys");
  expect(await page.evaluate("scrollY")).toBe(0);
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  await page.goBack();
  await expectPage("/settings/keys", "Keys");
  await page.goBack();
  await expectPage("/settings/profile", "Profile");
  await expect.poll(() => page.evaluate("scrollY")).toBe(300);
  await page.goForward();
  await expectPage("/settings/keys", "Keys");
  expect(await isSameDocument()).toBe(true);
});

test("back leads into pages of a document that was left, and of one that was loaded again", async () => {
  await open("/settings/keys");
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  await page.reload();
  await expectPage("/settings/team", "Teams");
  await follow("Activity");
  await expectPage("/activity", "Activity");
  await page.evaluate("location.assign('/settings/nowhere')");
  await expectHeading(page, "Not found");
  for (const [path, heading] of [
    ["/activity", "Activity"],
    ["/settings/team", "Teams"],
    ["/settings/keys", "Keys"],
  ] as const) {
    await page.goBack();
    await expectPage(path, heading);
  }
});

test("the keyboard begins at the new page's top, and its title is said", async () => {
  await open("/");
  await page.getByRole("link", { name: "Keys", exact: true }).press("Enter");
  await expectPage("/settings/keys", "Keys");
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(true);
  await page.keyboard.press("Tab");
  await expectFocus(page.getByRole("link", { name: "Skip to the content" }));
  expect(await page.locator("[aria-live=polite].heard").innerText()).toBe("Keys");
});

test("a page has no accessibility problem after it was reached within a document", async () => {
  await open("/");
  await follow("shop");
  await expectPage("/apps/shop", "shop: Overview");
  await untilShown(page);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a page that was left reads nothing more, and its streams end", async () => {
  await page.clock.install();
  await open("/apps/shop/logs");
  const isStream = (request: Request) => request.resourceType() === "eventsource";
  const ended = page.waitForEvent("requestfailed", isStream);
  await follow("Overview");
  await expectPage("/apps/shop", "shop: Overview");
  await ended;
  await follow("Profile");
  await expectPage("/settings/profile", "Profile");
  const asked = noteRequests();
  await page.clock.runFor(60_000);
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  expect(asked.filter((path) => !/^\/(assets|auth|settings)\/|^\/api\/teams$/.test(path))).toEqual([]);
});

test("what a person began on a page that they have left takes them nowhere", async () => {
  await open("/apps/shop");
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/apps/shop/deploy", async (route) => {
    await isHeld;
    await route.fulfill({ status: 202, json: { deploy_id: "8a5d9a4e-0000-4000-8000-000000000000" } });
  });
  const begun = page.waitForRequest("**/api/apps/shop/deploy");
  await press(page, /^Deploy/);
  await begun;
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  const answered = page.waitForResponse("**/api/apps/shop/deploy");
  answer();
  await (await answered).finished();
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  expect(await isSameDocument()).toBe(true);
});

test("the link that was followed last is where a person arrives", async () => {
  await open("/");
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => (answer = resolve));
  await onRead("/settings/keys", async (route) => {
    await isHeld;
    await route.continue();
  });
  await follow("Keys");
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  answer();
  await follow("Sessions");
  await expectPage("/settings/sessions", "Sessions");
});

test("keys go to the pages of the app that is shown, and not of the one before", async () => {
  await open("/apps/shop");
  await page.evaluate("navigation.navigate('/apps/worker').finished");
  await expectPage("/apps/worker", "worker: Overview");
  const asked = noteRequests();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expectPage("/apps/worker/env", "worker: Variables");
  expect(asked.filter((path) => path.includes("/shop"))).toEqual([]);
  expect(asked.filter((path) => path === "/apps/worker/env")).toHaveLength(1);
});

test("the chat stays open beside the next page and is about that, and its own page has no second one", async () => {
  await open("/apps/shop");
  await press(page, "Ask");
  await fieldIn(drawerOf(page)).waitFor();
  await follow("Profile");
  await expectPage("/settings/profile", "Profile");
  await fieldIn(drawerOf(page)).waitFor();
  expect(await page.locator("#chat").count()).toBe(1);
  expect(await page.getByRole("button", { name: "Ask" }).getAttribute("aria-expanded")).toBe("true");
  await drawerOf(page).getByRole("link", { name: "Open as a page" }).click();
  await expectPage("/chat", "Chat");
  await fieldIn(page.locator("main")).waitFor();
  expect(await page.locator("#chat").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Ask" }).getAttribute("aria-expanded")).toBe("false");
  expect(await isSameDocument()).toBe(true);
});

test("the palette closes when it leads to a page of the same document", async () => {
  await open("/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Sessions");
  await page.keyboard.press("Enter");
  await expectPage("/settings/sessions", "Sessions");
  expect(await page.locator("dialog").count()).toBe(0);
  expect(await isSameDocument()).toBe(true);
});

test("a person who was signed out elsewhere is led to the sign-in, and from there to the page they went to", async () => {
  await open("/");
  await page.context().clearCookies();
  await follow("Keys");
  await expectHeading(page, "Sign in");
  expect(page.url()).toBe(`${world.url}/sign-in?to=${encodeURIComponent("/settings/keys")}`);
});

test("a page shows soon what has changed about its person elsewhere, in the same document", async () => {
  await open("/");
  const setVerified = (at: string) =>
    world.http.database.query(`update users set email_verified_at = ${at} where email like 'ada.lovelace%'`);
  await setVerified("null");
  try {
    await follow("Profile");
    await expectText(page, "(not confirmed)");
  } finally {
    await setVerified("now()");
  }
  await follow("Keys");
  await expectPage("/settings/keys", "Keys");
  await follow("Profile");
  await expectText(page, "(confirmed)");
  expect(await isSameDocument()).toBe(true);
});

test("when another person has signed in, the next page is theirs in a document of its own", async () => {
  await open("/apps/shop/env");
  const { cookie } = await new Browser(world.http).join("grace@example.com");
  const [name, value] = cookie.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url: world.url }]);
  await follow("Apps");
  await expectText(page, "grace@example.com");
  await expectText(page, "There are no apps yet.");
  expect(await isSameDocument()).toBe(false);
  expect(await page.content()).not.toContain("ada.lovelace");
});

test("a person who is signed out, or another, in another window is heard while the next page is awaited", async () => {
  const tab = await world.openTab(page);
  for (const [signedIn, shows] of [
    ["", "Sign in"],
    ["another", "Keys"],
  ] as const) {
    await open("/settings/sessions");
    let isRead = () => {};
    const held = new Promise<void>((resolve) => (isRead = resolve));
    await onRead("/settings/keys", () => Promise.resolve(isRead()));
    await tab.goto(`${world.url}/sign-up`);
    await follow("Keys");
    await held;
    await tab.evaluate(`localStorage.setItem("signed-in", "${signedIn}"); localStorage.removeItem("signed-in")`);
    await expectHeading(page, shows);
    expect(await isSameDocument()).toBe(false);
    await page.unrouteAll();
  }
});

test("signing out works where the next page can't be read", async () => {
  await open("/");
  await onRead("/settings/keys", (route) => route.abort());
  await follow("Keys");
  await expectHeading(page, "Not loaded");
  await page.route("**/auth/sign-out", (route) => route.fulfill({ status: 204 }));
  await press(page, "Sign out");
  await expectHeading(page, "Sign in");
  world.complaints.splice(0);
});

for (const [what, file] of [
  ["style", /pages-\w+\.css/],
  ["scripts", /part-\w+\.js/g],
] as const) {
  test(`a page with other ${what}, of a newer control plane, is loaded as a document`, async () => {
    await open("/");
    await onRead("/settings/keys", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(file, "newer-12345678.js") });
    });
    await follow("Keys");
    await expectPage("/settings/keys", "Keys");
    expect(await isSameDocument()).toBe(false);
    await page.goBack();
    await expectPage("/", "Apps");
  });
}

test("a page that can't be read is said, tried again, and its links work", async () => {
  await page.clock.install();
  await open("/");
  await onRead("/settings/keys", (route) => route.abort());
  await follow("Keys");
  await page.getByText("The service can't be reached. Check your connection and try again.").waitFor();
  await follow("Teams");
  await expectPage("/settings/team", "Teams");
  await follow("Keys");
  await page.getByText("The service can't be reached. Check your connection and try again.").waitFor();
  await page.unrouteAll();
  await page.clock.runFor(5_000);
  await expectPage("/settings/keys", "Keys");
  expect(await isSameDocument()).toBe(true);
  // The browser's own words.
  expect(world.complaints.splice(0).filter((complaint) => !complaint.includes("net::ERR_FAILED"))).toEqual([]);
});

for (const [what, answer] of [
  ["the proxy answers for the service", (route) => route.fulfill({ status: 502, body: "Bad gateway" })],
  ["the service has a fault", (route) => route.fulfill({ status: 500, body: "{}" })],
] as const satisfies [string, (route: Route) => Promise<void>][]) {
  test(`a page is said not to be loaded, and tried again, while ${what}`, async () => {
    await page.clock.install();
    await open("/");
    await onRead("/settings/keys", answer);
    await follow("Keys");
    await page.getByText("Something went wrong in the service.").waitFor();
    await page.unrouteAll();
    await page.clock.runFor(5_000);
    await expectPage("/settings/keys", "Keys");
    expect(await isSameDocument()).toBe(true);
    expect(world.complaints.splice(0).filter((complaint) => !complaint.includes("the server responded with"))).toEqual(
      [],
    );
  });
}

test("a page whose script does not come within 15 s is loaded as a document", async () => {
  await page.clock.install();
  await open("/");
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  await page.route(/keys-\w+\.js/, () => isAsked(), { times: 1 });
  await follow("Keys");
  await asked;
  await page.clock.runFor(16_000);
  await expectPage("/settings/keys", "Keys");
  expect(await isSameDocument()).toBe(false);
  world.complaints.splice(0);
});

test("a document is left after sixty pages, and keeps no style twice", async () => {
  await open("/");
  const styles = () => page.evaluate("document.adoptedStyleSheets.length");
  const shown = new Set<unknown>();
  let visits = 0;
  while (await isSameDocument()) {
    const [path, heading] = visits++ % 2 === 0 ? ["/chat", "Chat"] : ["/apps/shop/logs", "shop: Logs"];
    await page.evaluate(`void location.assign("${path}")`);
    await expectHeading(page, heading!);
    if (visits > 2) shown.add(await styles());
  }
  expect(visits).toBe(61);
  expect(shown.size).toBeLessThanOrEqual(2);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
