import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addPerson, callAs, expectText, press } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterEach(() => world.signOutAll());
afterAll(() => world?.stop());

async function addApp(page: Page, name: string): Promise<void> {
  const repo_url = `https://github.com/you/${name}`;
  expect(await callAs(page, "POST", "/api/apps", { name, repo_url })).toBe(201);
}

test("an app whose name has a dash is not deleted by writing another name", async () => {
  const { page } = await addPerson(world);
  await addApp(page, "my-app");
  await page.goto(`${world.url}/apps/my-app/settings`);
  await press(page, "Delete the app …");
  const confirmation = page.getByLabel("Write my-app to go on");
  await confirmation.fill("another");
  await press(page, "Delete it for ever");
  // The browser leads to the field that it refuses.
  expect(await page.evaluate("document.activeElement.validity.patternMismatch")).toBe(true);
  await confirmation.fill("my-app");
  expect(await page.evaluate("document.activeElement.validity.valid")).toBe(true);
});

const ESC = "\u001b";
const HOSTILE = [
  `<img src=x onerror="alert(1)"><script>alert(2)</script>`,
  `${ESC}]8;;javascript:alert(3)${ESC}\\a link${ESC}]8;;${ESC}\\`,
  `${ESC}]0;a title\u0007${ESC}[2J${ESC}[31" onclick="alert(4)m${ESC}[31;constructor;__proto__mred`,
  `\u202etxt.exe\u2028event: end\u2028data: {}`,
];

const SHOWN = [HOSTILE[0]!, "a link", "red", "txt.exe"];

test("what an app writes is text on the page of its log, whatever markup, links and control sequences it holds", async () => {
  const { page } = await addPerson(world);
  await addApp(page, "hostile");
  const manyColors = `${ESC}[31ma${ESC}[32mb`.repeat(1_300);
  const lines = [...Array<string>(500).fill(manyColors), ...HOSTILE].map((text) => `2026-01-01T00:00:00.000Z ${text}`);
  const body = `event: log\ndata: ${JSON.stringify({ lines, dropped: 0 })}\n\n`;
  await page.route(/\/api\/apps\/hostile\/logs/, (route) =>
    route.fulfill({ status: 200, contentType: "text/event-stream", body }),
  );
  await page.goto(`${world.url}/apps/hostile/logs`);
  await expectText(page, "504 lines");
  const log = page.locator(".log-space");
  for (const text of SHOWN) await log.locator("> div").filter({ hasText: text }).first().waitFor();
  const names = await log.evaluate((box) => [...box.querySelectorAll("*")].map(({ localName }) => localName));
  expect([...new Set(names)].toSorted()).toEqual(["div", "span"]);
  // Some 40 rows: without a bound for one row there would be 100,000 elements, and seconds for each frame.
  expect(names.length).toBeLessThan(5_000);
  await page.unroute(/\/api\/apps\/hostile\/logs/);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
