import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { tellMetrics, type ToldWindow } from "../support/agent/telling-metrics.ts";
import { addLiveRelease } from "../support/api/scripted-apps.ts";
import { addPerson, expectText, press } from "../support/people/on-page.ts";
import { accessibilityProblems, startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

const NAME = "hello";

let world: PagesWorld;
let page: Page;
let appId: string;
let serverId: string;
beforeAll(async () => {
  world = await startPagesWorld();
  const { email, page: opened } = await addPerson(world);
  page = opened;
  const { database, keyRing } = world.http;
  const { rows } = await database.query("select id from users where email = $1", [email]);
  const userId = String(rows[0]!["id"]);
  const caller = await world.http.addCaller({ userId });
  await caller.call("POST", "/api/apps", { name: NAME, repo_url: "https://github.com/you/hello" });
  serverId = await world.http.addServer("server-1");
  ({ appId } = await addLiveRelease({ db: database.db, keyRing }, { name: NAME, userId, serverId, env: {} }));
});
afterAll(() => world?.stop());

const usage = {
  cpuMilliseconds: 2500,
  memoryBytes: 64n * 1024n ** 2n,
  memoryBytesMax: 512n * 1024n ** 2n,
  networkBytesIn: 1n,
  networkBytesOut: 1n,
  restarts: 0,
};
/** Windows of the last minutes; `ago` counts windows back from now. */
const windowsOf = (count: number, requests: number): ToldWindow[] =>
  Array.from({ length: count }, (_, ago) => ({
    start: windowOf(world.now().getTime() / 1000) - (ago + 1) * 10,
    apps: [{ appId, requests, errors: requests > 0 ? 1 : 0, latencyCounts: requests > 0 ? [requests] : [], usage }],
  }));
const tell = (windows: ToldWindow[]) => tellMetrics({ db: world.http.database.db }, serverId, windows);
const chart = (title: string) => page.getByRole("region", { name: title, exact: true });

test("an app that nobody asked for says so, and one that told nothing is told apart from it", async () => {
  await page.goto(`${world.url}/apps/${NAME}/metrics`);
  await expectText(page, "Nothing was counted in this hour: the app did not run, or its server told nothing.");
  await tell(windowsOf(1, 0));
  await expectText(page, "There was no request in this hour.");
});

test("charts show what the app used, the deploys that ended, and each value in words and in a table", async () => {
  // Older than what was told before.
  await tell(windowsOf(30, 12).slice(3));
  await page.reload();
  await expectText(page, "requests: 324 in all");
  await expectText(page, "status 500 and more: 27 in all, status 400 to 499: 0 in all");
  await expectText(page, "in use: 0.25 cores last, 0.25 cores at most");
  await expectText(page, "in use: 64 MiB last, 64 MiB at most, cap: 512 MiB last, 512 MiB at most");
  const memory = chart("Memory");
  await memory.locator("canvas").waitFor();
  expect(await page.locator(".chart canvas").count()).toBe(7);
  await memory.getByText("Memory as a table").click();
  await memory.getByRole("cell", { name: "64 MiB" }).first().waitFor();
  const deploys = page.getByRole("region", { name: "Deploys in this hour" });
  expect(await deploys.getByRole("link").first().getAttribute("href")).toMatch(/^\/apps\/hello\/deploys\//);
});

test("axe finds nothing wrong with charts and tables, light and dark", async () => {
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a chart is drawn in the colors of the scheme, and again when that changes", async () => {
  const pixels = () =>
    page.evaluate(`(() => {
      const drawn = document.querySelector(".chart canvas");
      const [canvas, { width, height }] = [document.createElement("canvas"), drawn];
      Object.assign(canvas, { width, height });
      const copy = canvas.getContext("2d", { willReadFrequently: true });
      copy.drawImage(drawn, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      const colors = new Set();
      for (let place = 0; place < data.length; place += 4)
        if (data[place + 3] === 255) colors.add([data[place], data[place + 1], data[place + 2]].join());
      return [...colors];
    })()`) as Promise<string[]>;
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(pixels).toContain("11,91,181");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(pixels).toContain("122,180,245");
  await page.emulateMedia({ colorScheme: "light" });
});

test("the pointer reads the values of one moment from all charts", async () => {
  const requests = chart("Requests");
  await requests.locator(".u-over").hover();
  const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d0: /;
  await expect.poll(() => requests.locator(".hint").innerText()).toMatch(moment);
  await expect.poll(() => chart("Memory").locator(".hint").innerText()).toMatch(moment);
  await page.mouse.move(0, 0);
  await expectText(page, "requests: 324 in all");
});

test("24 hours and 30 days have steps of their own", async () => {
  await press(page, "24 hours");
  await expectText(page, /^requests: \d+ in all$/);
  await page.getByRole("region", { name: "Requests", exact: true }).getByText("Requests as a table").click();
  await expect.poll(() => chart("Requests").getByRole("row").count()).toBe(1 + 1440);
  await press(page, "30 days");
  await expect.poll(() => page.getByRole("button", { name: "30 days" }).getAttribute("aria-pressed")).toBe("true");
  await press(page, "1 hour");
  await expectText(page, "requests: 324 in all");
});

test("the overview shows the last hour without the library of the charts, which pages load when they need it", async () => {
  const [session] = await page.context().cookies();
  const bytes = async (path: string) => {
    const visit = await world.openBrowser(`${session!.name}=${session!.value}`);
    let sum = 0;
    visit.on("response", (response) => {
      if (response.url().includes("/assets/"))
        void response
          .request()
          .sizes()
          .then((sizes) => (sum += sizes.responseBodySize));
    });
    await visit.goto(world.url + path);
    await visit
      .getByText(/^Requests in the last hour|^requests:/)
      .first()
      .waitFor();
    await visit.waitForLoadState("networkidle");
    await visit.context().close();
    return sum;
  };
  await page.goto(`${world.url}/apps/${NAME}`);
  await page.getByText(/^Requests in the last hour: \d+$/).waitFor();
  await page.getByText(/^Errors in the last hour: \d+$/).waitFor();
  expect(await page.locator("canvas").count()).toBe(0);
  const [overview, metrics] = [await bytes(`/apps/${NAME}`), await bytes(`/apps/${NAME}/metrics`)];
  expect(overview).toBeLessThan(29_000);
  expect(metrics).toBeLessThan(50_000);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
