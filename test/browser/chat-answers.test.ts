import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addAsker, drawerOf, expectDeploys, fieldIn, say } from "../support/people/chat-world.ts";
import { expectFocus, expectHeading, expectText } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import {
  inTurn,
  lastOf,
  startModelDouble,
  type ModelDouble,
  type ModelReply,
} from "../support/doubles/model-double.ts";

let world: PagesWorld;
let model: ModelDouble;
beforeAll(async () => {
  model = await startModelDouble();
  world = await startPagesWorld({ model: { url: model.url, name: "small-1", key: model.key } });
});
afterEach(() => world.signOutAll());
afterAll(async () => {
  await world?.stop();
  await model?.close();
});

async function openChat(page: Page): Promise<void> {
  await page.goto(`${world.url}/chat`);
  await expectFocus(fieldIn(page));
}

test("a model's answer is shown word by word, its deploy is a card, and it goes on once that is done", async () => {
  const { page, app } = await addAsker(world);
  model.script = (request) =>
    lastOf(request).role === "user"
      ? { say: "I can deploy it:", calls: [{ name: "deploy", arguments: { app, ref: "main" } }] }
      : { say: "It has begun.\n\n- first `step`\n- second" };
  await openChat(page);
  await expectText(page, "The model small-1 answers, and may be wrong.");
  await fieldIn(page).fill("Please deploy it\nfrom main");
  await fieldIn(page).press("Shift+Enter");
  expect(await fieldIn(page).inputValue()).toBe("Please deploy it\nfrom main\n");
  await fieldIn(page).press("Enter");
  await expectText(page, "I can deploy it:");
  const card = page.getByRole("region", { name: `Deploy ${app} from main.` });
  await card.getByRole("button", { name: "Deploy", exact: true }).click();
  await expectText(page, "It has begun.");
  await expectDeploys(world, app, 2);
  await page.locator(".messages li code").getByText("step").waitFor();
  await page.getByText("Answering …").waitFor({ state: "detached" });
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("an answer is stopped by the keyboard alone, what it had said stays, and the next question is answered", async () => {
  const { page } = await addAsker(world);
  const keyboard = byKeyboard(page);
  model.script = inTurn({ say: "It is a long story.", hangs: "after" }, { say: "A short one." });
  const abandoned = model.abandoned;
  await openChat(page);
  await page.keyboard.type("Tell me");
  await page.keyboard.press("Enter");
  await expectText(page, "It is a long story.");
  await expectText(page, "Answering …");
  await keyboard.press("Stop the answer");
  await expectText(page, "You stopped the answer. Its words until then are kept.");
  await expectFocus(fieldIn(page));
  await expect.poll(() => model.abandoned).toBe(abandoned + 1);
  await expect
    .poll(async () => {
      await say(page, "Once more");
      return page.getByText("A short one.").count();
    })
    .toBeGreaterThan(0);
  await page.reload();
  await expectText(page, "It is a long story.");
});

test("a model that is down is said to be, and the commands are understood without it", async () => {
  const { page, app } = await addAsker(world);
  model.script = () => ({ status: 500 });
  await openChat(page);
  await say(page, `status of ${app}`);
  await expectText(page, "The model's server answered 500");
  await expectText(page, `Understood: the status of ${app}.`);
});

const HOSTILE =
  `<script>alert(1)</script><img src=x onerror="alert(2)"> [a](https://evil.example) [b](javascript:alert(3)) ` +
  "https://evil.example/apps/shop [c](/auth/sign-out) ![d](//evil.example/p.png)";

test("markup in answers, logs, cards, titles and questions is text, and no link leads anywhere but to apps", async () => {
  const { page, app, agent } = await addAsker(world);
  agent.log = [HOSTILE];
  model.script = (request) =>
    lastOf(request).role === "user"
      ? {
          say: `${HOSTILE} See /apps/${app}/logs.`,
          calls: [{ name: "deploy", arguments: { app, ref: HOSTILE.replaceAll(" ", "/") } }],
        }
      : { say: "Done." };
  await openChat(page);
  await say(page, HOSTILE);
  model.script = () => ({ status: 500 });
  await say(page, `logs of ${app}`);
  await expectText(page, "Looked at: Log of an app");
  await page.reload();
  await expectText(page, "Looked at: Log of an app");
  const messages = page.locator(".messages");
  for (const place of [".person p", ".assistant p.words", ".assistant > pre", ".card strong"]) {
    await messages.locator(place).filter({ hasText: "<script>alert(1)</script><img" }).first().waitFor();
  }
  const names = await page
    .locator("main")
    .evaluate((main) => [...new Set([...main.querySelectorAll("*")].map(({ localName }) => localName))].toSorted());
  expect(names.filter((name) => ["img", "script", "iframe", "object", "style", "svg"].includes(name))).toEqual([]);
  const links = await messages
    .locator("a")
    .evaluateAll((all) => [...new Set(all.map((link) => link.getAttribute("href")))]);
  expect(links).toEqual([`/apps/${app}/logs`]);
});

const MESSAGES = /\/api\/conversations\/[^/]*\/messages$/;

/** The answer breaks off before its end. */
async function breakOff(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = (await response.text()).replace(/event: done\n[^]*$/, "");
  await route.fulfill({ response, body });
}

test("when a connection is lost in the middle of an answer, the page says so and shows what the service has kept", async () => {
  const { page } = await addAsker(world);
  model.script = () => ({ say: "All is well." });
  await openChat(page);
  await page.route(MESSAGES, breakOff);
  await say(page, "How are you?");
  await expectText(
    page,
    "The connection was lost in the middle of the answer. Below is what the service has kept of it.",
  );
  await expectText(page, "All is well.");
  await page.unroute(MESSAGES);
});

test("a message that did not reach the service is there to be sent again", async () => {
  const { page } = await addAsker(world);
  model.script = () => ({ say: "All is well." });
  await openChat(page);
  await page.route(MESSAGES, (route) => route.abort());
  await say(page, "How are you?");
  await expectText(page, "The service did not answer. Check your connection.");
  await expect.poll(() => fieldIn(page).inputValue()).toBe("How are you?");
  expect(await page.locator(".messages > li").count()).toBe(0);
  await page.unroute(MESSAGES);
  await fieldIn(page).press("Enter");
  await expectText(page, "All is well.");
});

test("a message that is refused while another page is answered is there to be sent again, once that answer is there", async () => {
  const { page } = await addAsker(world);
  model.script = () => ({ say: "All is well." });
  await openChat(page);
  await say(page, "How are you?");
  await expectText(page, "All is well.");
  let answer = (_reply: ModelReply): void => undefined;
  model.script = () => new Promise((resolve) => (answer = resolve));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await fieldIn(other).fill("And the others?");
  await fieldIn(other).press("Enter");
  await expectText(other, "Answering …");
  await fieldIn(page).fill("And mine?");
  await fieldIn(page).press("Enter");
  await expectText(page, "An answer is being written: wait for its end.");
  await expectText(page, "Answering …");
  await expect.poll(() => fieldIn(page).inputValue()).toBe("And mine?");
  answer({ say: "They run." });
  await expectText(page, "They run.");
  await page.getByText("An answer is being written").waitFor({ state: "detached" });
  model.script = () => ({ say: "Yours runs." });
  await fieldIn(page).press("Enter");
  await expectText(page, "Yours runs.");
});

test("the value of a variable is shown to nobody once it was sent", async () => {
  const { page, app } = await addAsker(world);
  model.script = () => ({ say: "Noted." });
  await page.goto(`${world.url}/apps/${app}`);
  await expectHeading(page, `${app}: Overview`);
  await page.keyboard.press("c");
  await say(drawerOf(page), "set TOKEN=hunter22 on it");
  await drawerOf(page).getByText("set TOKEN=«value 1» on it").waitFor();
  expect(await page.content()).not.toContain("hunter22");
});

test("no page broke its policy, or had a fault of its own", () => {
  // Chromium names requests that the tests themselves have stopped.
  expect(world.complaints.filter((complaint) => !complaint.includes("net::ERR_FAILED"))).toEqual([]);
});
