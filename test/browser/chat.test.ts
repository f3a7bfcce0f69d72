import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addAsker, drawerOf, expectDeploys, fieldIn, say } from "../support/people/chat-world.ts";
import { expectFocus, expectHeading, expectText, hasFocus, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

const query = (text: string, values: unknown[]) => world.http.database.query(text, values);

const cardIn = (place: Locator, name: string | RegExp): Locator => place.getByRole("region", { name });

/** Records that the app's newest deploy has failed. */
async function failDeploy(app: string): Promise<string> {
  const { rows } = await query(
    `update deploys set status = 'failed', started_at = now(), finished_at = now(),
       error = 'The build failed: npm ended with exit code 1.', error_code = 'build_failed'
       where id = (select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1 order by d.seq desc limit 1)
       returning id`,
    [app],
  );
  return String(rows[0]!["id"]);
}

/** Adds a deploy that has failed. @returns its id */
async function addFailure(app: string, release: string, error: string): Promise<string> {
  const { rows } = await query(
    `insert into deploys (id, app_id, user_id, status, release, started_at, finished_at, error)
       select gen_random_uuid(), id, owner_id, 'failed', $2, now(), now(), $3 from apps where name = $1 returning id`,
    [app, release, error],
  );
  return String(rows[0]!["id"]);
}

test("a deploy that is asked for is shown as a card, done after a click, and there again when the page is loaded again", async () => {
  const { page, app } = await addAsker(world);
  await page.getByRole("link", { name: "Chat" }).click();
  await expectHeading(page, "Chat");
  await expectText(page, "No model is set up here: a fixed set of commands is understood.");
  await press(page, `deploy ${app}`);
  await expectFocus(fieldIn(page));
  await press(page, "Send");
  const card = cardIn(page.locator("main"), `Deploy ${app}.`);
  await card.getByText(`curl -X POST`).waitFor();
  expect(await card.locator("pre").innerText()).toContain(`'${world.url}/api/apps/${app}/deploy'`);
  await expectDeploys(world, app, 1);
  await card.getByRole("button", { name: "Deploy", exact: true }).click();
  await card.getByText("Done.", { exact: true }).waitFor();
  await expectDeploys(world, app, 2);
  expect(new URL(page.url()).pathname).toMatch(/^\/chat\/[0-9a-f-]{36}$/);
  await page.reload();
  await card.getByText("Done.", { exact: true }).waitFor();
  expect(await card.getByRole("button").count()).toBe(0);
  await card.getByRole("link", { name: /^\/apps\/.*\/deploys\// }).click();
  await expectHeading(page, `${app}: Deploys`);
});

test("by the keyboard alone, a command is completed, sent, and its card is done", async () => {
  const { page, app } = await addAsker(world);
  const keyboard = byKeyboard(page);
  await keyboard.tabTo(page.getByRole("link", { name: "Chat" }));
  await page.keyboard.press("Enter");
  await expectHeading(page, "Chat");
  const field = page.getByRole("combobox", { name: "Command" });
  await expectFocus(field);
  await page.keyboard.type("depl");
  const option = page.getByRole("option", { name: `deploy ${app}`, exact: true });
  await option.waitFor();
  expect(await field.getAttribute("aria-expanded")).toBe("true");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => option.getAttribute("aria-selected")).toBe("true");
  expect(await field.getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
  await page.keyboard.press("Enter");
  await expect.poll(() => field.inputValue()).toBe(`deploy ${app}`);
  expect(await page.getByRole("option").count()).toBe(0);
  await page.keyboard.press("Enter");
  const card = cardIn(page.locator("main"), `Deploy ${app}.`);
  await card.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await keyboard.tabTo(card.getByRole("button", { name: "Deploy", exact: true }));
  await page.keyboard.press("Enter");
  await expectFocus(card);
  await card.getByText("Done.", { exact: true }).waitFor();
  await expectDeploys(world, app, 2);
});

test("Escape closes the list of completions and leaves what was written", async () => {
  const { page, app } = await addAsker(world);
  await page.goto(`${world.url}/apps/${app}`);
  await expectHeading(page, `${app}: Overview`);
  await page.keyboard.press("c");
  const field = fieldIn(drawerOf(page));
  await expectFocus(field);
  await page.keyboard.type("sta");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("option").count()).toBe(0);
  expect(await field.inputValue()).toBe("sta");
  await page.keyboard.press("Escape");
  await expect.poll(() => drawerOf(page).count()).toBe(0);
});

test("a variable's value is in no address while it is written, and completions come up to it", async () => {
  const { page } = await addAsker(world);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).searchParams.get("text") ?? ""));
  await page.goto(`${world.url}/chat`);
  await expectFocus(fieldIn(page));
  await page.keyboard.type("set TOKEN=");
  await expect.poll(() => asked).toContain("set TOKEN=");
  // As slowly as completions are asked for at each letter.
  await page.keyboard.type("hunter22", { delay: 120 });
  await page.keyboard.press("Enter");
  await page.locator(".messages .person").getByText("set TOKEN=«value 1»").waitFor();
  expect(asked.join("\n")).not.toContain("TOKEN=h");
});

test("a card that is left changes nothing, and can't be done any more", async () => {
  const { page, app } = await addAsker(world);
  await page.goto(`${world.url}/chat`);
  await say(page, `stop ${app}`);
  const card = cardIn(page.locator("main"), `Stop ${app}.`);
  await card.getByRole("button", { name: "Leave it" }).click();
  await card.getByText("You left it: nothing was changed.").waitFor();
  await page.reload();
  await card.getByText("You left it: nothing was changed.").waitFor();
  const { rows } = await world.http.database.query("select status from apps where name = $1", [app]);
  expect(rows).toEqual([{ status: "running" }]);
});

test("a card that was not decided in time can't be done, and says so", async () => {
  const { page, app } = await addAsker(world);
  await page.goto(`${world.url}/chat`);
  await say(page, `deploy ${app}`);
  const card = cardIn(page.locator("main"), `Deploy ${app}.`);
  await card.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  // A card can be decided for 15 minutes.
  for (let half = 0; half <= 30; half++) world.later();
  await card.getByRole("button", { name: "Deploy", exact: true }).click();
  await card.getByText("It was not decided in time: nothing was changed. Ask again.").waitFor();
  await expectDeploys(world, app, 1);
});

test("the drawer knows the app of its page, and keeps its conversation from page to page", async () => {
  const { page, app, caller } = await addAsker(world);
  await caller.call("POST", "/api/apps", { name: `other-${app}`, repo_url: "https://github.com/ada/other" });
  await page.goto(`${world.url}/apps/${app}/env`);
  const opener = page.getByRole("button", { name: "Ask" });
  await opener.click();
  const drawer = drawerOf(page);
  await expectFocus(fieldIn(drawer));
  expect(await opener.getAttribute("aria-expanded")).toBe("true");
  await say(drawer, "status");
  await drawer.getByText(`Understood: the status of ${app}.`).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("link", { name: "Domains" }).click();
  await expectHeading(page, `${app}: Domains`);
  await drawer.getByText(`Understood: the status of ${app}.`).waitFor();
  // Nobody has asked for it here: whoever goes on in the page is not taken away from it.
  expect(await drawer.locator(":focus").count()).toBe(0);
  await fieldIn(drawer).focus();
  await page.keyboard.press("Escape");
  await expect.poll(() => drawer.count()).toBe(0);
  await expectFocus(opener);
  await page.reload();
  await expectHeading(page, `${app}: Domains`);
  await page.keyboard.press("c");
  await drawer.getByText(`Understood: the status of ${app}.`).waitFor();
  await drawer.getByRole("button", { name: "New conversation" }).click();
  await drawer.getByRole("button", { name: `deploy ${app}` }).waitFor();
  await expectFocus(fieldIn(drawer));
});

test("a deploy that failed offers to say why, on its page and on its app's", async () => {
  const { page, app, caller } = await addAsker(world);
  await caller.call("POST", `/api/apps/${app}/deploy`, {});
  const deploy = await failDeploy(app);
  // Later ones have failed, too.
  const [named, last] = [
    await addFailure(app, "a try", "The app ended."),
    await addFailure(app, "v9", "Its disk is full."),
  ];
  for (const [path, question, meaning, reason] of [
    ["", "why did the last deploy fail?", `why the last deploy of ${app} failed`, "Its disk is full."],
    [`/deploys/${last}`, "why?", "why this deploy failed", "Its disk is full."],
    [`/deploys/${named}`, "why?", "why this deploy failed", "The app ended."],
    [`/deploys/${deploy}`, "why?", "why this deploy failed", "npm ended with exit code 1"],
  ] as const) {
    await page.goto(`${world.url}/apps/${app}${path}`);
    await press(page, "Why?");
    const drawer = drawerOf(page);
    await drawer.getByText(question, { exact: true }).waitFor();
    await drawer.getByText(`Understood: ${meaning}.`).waitFor();
    await drawer.getByText(reason).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.evaluate("sessionStorage.clear()");
  }
});

test("by the keyboard alone, a failed deploy is asked about and a card is left, and both are there on the next page", async () => {
  const { page, app, caller } = await addAsker(world);
  const keyboard = byKeyboard(page);
  await caller.call("POST", `/api/apps/${app}/deploy`, {});
  await failDeploy(app);
  await page.goto(`${world.url}/apps/${app}`);
  await keyboard.press("Why?");
  const drawer = drawerOf(page);
  await expectFocus(fieldIn(drawer));
  await drawer.getByText(`Understood: why the last deploy of ${app} failed.`).waitFor();
  await drawer.getByText("Answering …").waitFor({ state: "detached" });
  await page.keyboard.type("stop it");
  await page.keyboard.press("Enter");
  const card = cardIn(drawer, `Stop ${app}.`);
  const leave = card.getByRole("button", { name: "Leave it" });
  await leave.waitFor();
  // The card stands before the field.
  while (!(await hasFocus(leave))) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await card.getByText("You left it: nothing was changed.").waitFor();
  await expectFocus(card);
  await page.keyboard.press("Escape");
  await expectFocus(page.getByRole("button", { name: "Why?" }));
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expectHeading(page, `${app}: Deploys`);
  await page.keyboard.press("c");
  await card.getByText("You left it: nothing was changed.").waitFor();
});

test("on a phone the drawer covers the page, and a link in it leads to a page that is seen", async () => {
  const { page, app } = await addAsker(world);
  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(`${world.url}/apps/${app}`);
  await press(page, "Ask");
  const drawer = drawerOf(page);
  await say(drawer, `deploy ${app}`);
  // Nobody gets behind it with Tab, and the browser's own controls stay in reach.
  expect(await page.locator("main").evaluate((main) => main.inert)).toBe(true);
  await drawer.getByRole("button", { name: "Deploy", exact: true }).click();
  await drawer.getByRole("link", { name: /^\/apps\/.*\/deploys\// }).click();
  await expectHeading(page, `${app}: Deploys`);
  expect(await drawer.count()).toBe(0);
  await press(page, "Ask");
  await drawer.getByText("Done.", { exact: true }).waitFor();
  await drawer.getByRole("button", { name: "Close the chat" }).click();
  expect(await page.locator("main").evaluate((main) => main.inert)).toBe(false);
  await page.setViewportSize({ width: 800, height: 600 });
});

test("a conversation is deleted after a question, and one that is gone is said to be", async () => {
  const { page, app } = await addAsker(world);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${world.url}/chat`);
  await say(page, `status of ${app}`);
  const list = page.getByRole("region", { name: "Conversations" });
  await list.getByRole("link", { name: `status of ${app}` }).waitFor();
  const address = page.url();
  await list.getByRole("button", { name: `Delete the conversation status of ${app}` }).click();
  await list.getByRole("button", { name: `Yes, delete the conversation status of ${app}` }).click();
  await list.getByText("There are none yet.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/chat");
  await page.goto(address);
  await page.getByRole("alert").filter({ hasText: "conversation" }).waitFor();
  await page.setViewportSize({ width: 800, height: 600 });
});

test("neither the page of the chat nor the drawer is wider than the screen, from 320 to 1,440 px", async () => {
  const { page, app } = await addAsker(world);
  await page.goto(`${world.url}/apps/${app}`);
  await expectHeading(page, `${app}: Overview`);
  await page.keyboard.press("c");
  await say(drawerOf(page), `deploy ${app} from ${"a-long-name-of-a-branch".repeat(5)}`);
  await drawerOf(page).getByRole("button", { name: "Leave it" }).waitFor();
  const problems: string[] = [];
  const look = async (where: string) => {
    for (const width of [320, 375, 599, 601, 800, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const shown = await page.evaluate("document.documentElement.scrollWidth");
      if (shown !== width) problems.push(`${where}: ${String(shown)} px wide on a screen of ${width}`);
    }
  };
  await look("drawer");
  await page.goto(`${world.url}/chat/${String(await page.evaluate("sessionStorage.getItem('chat')"))}`);
  await page.getByRole("button", { name: "Leave it" }).waitFor();
  await look("page");
  expect(problems).toEqual([]);
  await page.setViewportSize({ width: 800, height: 600 });
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
