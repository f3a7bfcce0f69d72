import { afterAll, beforeAll, expect, test } from "vitest";
import { addPerson, expectText, press } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
beforeAll(async () => {
  world = await startPagesWorld();
});
afterAll(() => world?.stop());

const LOGS = /\/api\/apps\/clock\/logs/;
const line = (minute: number, text: string) => `2026-01-31T12:0${minute}:00.000Z ${text}`;

test("what an app wrote before is searched, its query is checked where it is written, and older lines are looked for", async () => {
  const { page } = await addPerson(world);
  const sent = { method: "POST", headers: { "Content-Type": "application/json" } };
  const app = { name: "clock", repo_url: "https://github.com/you/clock" };
  await page.evaluate(`fetch("/api/apps", ${JSON.stringify({ ...sent, body: JSON.stringify(app) })})`);
  const asked: URLSearchParams[] = [];
  await page.route(LOGS, (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get("follow") === "1") {
      const lines = [line(1, "ERROR live"), line(2, "INFO live")];
      const body = `event: log\ndata: ${JSON.stringify({ lines, dropped: 0 })}\n\n`;
      return route.fulfill({ status: 200, contentType: "text/event-stream", body });
    }
    asked.push(searchParams);
    const isFirst = !searchParams.has("until");
    const logs = isFirst ? line(2, "the newer one") : line(1, "the older one");
    const goOn = isFirst ? "2026-01-31T12:01:30.000Z" : null;
    return route.fulfill({ json: { app: "clock", logs, continue_until: goOn, since: "2026-01-30T12:03:00.000Z" } });
  });
  await page.goto(`${world.url}/apps/clock/logs`);

  // The live log is filtered by the same language, on the page.
  await page.getByLabel("Find").fill("level:error");
  await expectText(page, "1 of 2 lines");
  await page.getByLabel("Find").fill("level:loud");
  await expectText(page, /none of error, warn, info, debug/);

  await press(page, "Last day");
  await expectText(page, "There may be more before.");
  expect(Object.fromEntries(asked[0]!)).toEqual({ lines: "500", source: "container", query: "", since: "1d" });
  await page.getByLabel("Search for").fill('"open');
  await press(page, "Search");
  await expectText(page, /a quote is not closed/);
  expect(asked).toHaveLength(1);
  await page.getByLabel("Search for").fill("one -probe");
  await press(page, "Search");
  await expect.poll(() => asked.length).toBe(2);
  await press(page, "Look further back");
  await expectText(page, "This is all that was found.");
  expect(asked.at(-1)!.get("until")).toBe("2026-01-31T12:01:30.000Z");
  expect(asked.at(-1)!.get("query")).toBe("one -probe");
  // A day ago is another time by now, after the end of a search that has looked back far.
  expect(asked.at(-1)!.get("since")).toBe("2026-01-30T12:03:00.000Z");
  await expectText(page, "2 lines");
  const shown = await page.locator(".log-space > div").allInnerTexts();
  expect(shown.filter((text) => text !== "")).toEqual([line(1, "the older one"), line(2, "the newer one")]);
  // All of the lines are there: nothing is to be followed.
  expect(await page.getByRole("button", { name: "Follow" }).count()).toBe(0);

  await press(page, "From … up to …");
  await press(page, "Search");
  await page.locator(".log-space").waitFor();
  const searches = asked.length;
  await page.getByRole("textbox", { name: "From" }).fill("2026-01-31T12:02:00");
  await page.getByRole("textbox", { name: "Up to" }).fill("2026-01-31T12:01:00");
  await press(page, "Search");
  await expectText(page, "The time of From is not before that of Up to: exchange them.");
  expect([asked.length, await page.locator(".log-space").count()]).toEqual([searches, 0]);
  await page.unroute(LOGS);
  expect(world.complaints).toEqual([]);
});
