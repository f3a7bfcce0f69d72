import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { program } from "../support/platform/apps.ts";
import type { Files, TestRepository } from "../support/doubles/git-host.ts";
import { startBrowser } from "../support/platform/browser.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { expectHeading, expectText, field, press } from "../support/people/on-page.ts";
import { PASSWORD } from "../support/people/person.ts";

const PATIENCE_MS = 120_000;

let setup: PlatformWithGit;
let browser: Browser;
let page: Page;
let repository: TestRepository;
const complaints: string[] = [];
/**
 * While a test has stopped the service, Chromium says so of each request, and of each that is answered 503 because
 * the service is back before its agent.
 */
let isAway = false;
const ABSENCE = /^Failed to load resource: (net::|the server responded with a status of 503)/;

/** Writes a line for each request, in color and with what a page must not take for its own. */
const TALKATIVE = program(`require("node:http").createServer((req, res) => {
  if (req.url === "/burst") burst(0);
  console.log("\\x1b[32mserved\\x1b[0m " + req.url + " <img src=x onerror=alert(1)>");
  res.end("hello " + (process.env.GREETING ?? "nobody"));
}).listen(process.env.PORT, "0.0.0.0");
function burst(sent) {
  for (let line = sent; line < sent + 20; line++) console.log("burst line " + line);
  if (sent < 4000) setTimeout(() => burst(sent + 20), 5);
  else console.log("burst is over");
}
`);

/** Its build writes so many lines, 20,000 a second: each is its number, as BuildKit cuts off what is above 200 KiB a second. */
function floodingBuild(lines: number): Files {
  const write = `let n = 0; const timer = setInterval(() => {
    console.log(Array.from({ length: 1000 }, () => n++).join("\\n"));
    if (n >= ${lines}) clearInterval(timer);
  }, 50);`;
  const dockerfile = ["FROM node:22-slim", "COPY . .", "RUN node flood.js", 'CMD ["node", "server.js"]', ""];
  return { ...TALKATIVE, "flood.js": write, Dockerfile: dockerfile.join("\n") };
}

/** The places of a log where more of the flood's lines are missing than it says there. */
function unexplainedGaps(log: string, lines: number): string[] {
  const gaps: string[] = [];
  let [next, leftOut] = [0, 0];
  for (const line of [...log.split("\n"), `#0 ${lines}`]) {
    leftOut += Number(/^\[(\d+) lines were left out here\]$/.exec(line)?.[1] ?? 0);
    const number = /^#\d+ (\d+)$/.exec(line)?.[1];
    if (number === undefined) continue;
    if (Number(number) - next !== leftOut) gaps.push(`${leftOut} of the lines from ${next} to ${number}`);
    [next, leftOut] = [Number(number) + 1, 0];
  }
  return gaps;
}

/** The engine makes and removes interfaces of this machine as deploys go on, and Chromium breaks its requests off then. */
const isBrowsersOwn = (message: string) => message.includes("net::ERR_NETWORK_CHANGED");

beforeAll(async () => {
  [setup, browser] = await Promise.all([startPlatformWithGit(), startBrowser()]);
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    const isRefusal = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
    const isExpected = isRefusal || isBrowsersOwn(message.text()) || (isAway && ABSENCE.test(message.text()));
    if (["error", "warning"].includes(message.type()) && !isExpected)
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  const { link } = JSON.parse(await setup.platform.admin("user", "invite", "--email", "ada@example.com", "--json")) as {
    link: string;
  };
  await page.goto(link);
  await field(page, "Name").fill("Ada");
  await field(page, "Password").fill(PASSWORD);
  await press(page, "Join");
  await expectHeading(page, "Apps");
});
afterAll(async () => {
  await browser?.close();
  await setup?.stop();
});

const answerOf = async (path = "/") => (await setup.platform.fetchApp("shop", path)).body;

test("somebody new makes an app from a repository, watches its first deploy, and opens it", async () => {
  repository = await setup.git.repository("shop", TALKATIVE);
  await expectText(page, "There are no apps yet.");
  await page.getByRole("link", { name: "New app" }).click();
  await field(page, "Address of the repository").fill(repository.url);
  await press(page, "Show the plan");
  await page.getByRole("heading", { name: "What will be built" }).waitFor();
  await expectText(page, /^node: /);
  expect(await field(page, "Name").inputValue()).toBe("shop");
  await press(page, "Make and deploy");
  await page.getByRole("heading", { level: 2, name: "v1: running" }).waitFor();
  await page.getByRole("heading", { level: 2, name: "v1: succeeded" }).waitFor();
  const log = page.getByRole("log");
  await log
    .getByText(/npm|Step|FROM/i)
    .first()
    .waitFor();
  for (const step of ["Build", "Start", "Traffic"])
    expect(await page.getByRole("listitem").filter({ hasText: step }).innerText()).toMatch(/succeeded in \d+ s/);
  await page.getByRole("link", { name: /^Open https:\/\/shop\./ }).waitFor();
  expect(await answerOf()).toBe("hello nobody");
});

test("the overview says what serves, from which commit, and how the app is", async () => {
  await page.getByRole("link", { name: "Overview" }).click();
  await expectText(page, /^running, healthy since/);
  await expectText(page, /^v1 from commit/);
  expect(await page.getByRole("region", { name: "Needs attention" }).count()).toBe(0);
  await press(page, "Stop");
  await press(page, "Yes, stop");
  await expectText(page, "shop was stopped.");
  await press(page, "Start");
  await expectText(page, "shop was started.");
});

test("what the app writes is followed live, in color, found by its words, and never taken for the page's own", async () => {
  await page.getByRole("link", { name: "Logs" }).click();
  const log = page.getByRole("log");
  await log.waitFor();
  await answerOf("/first");
  await log.getByText("/first <img src=x onerror=alert(1)>").waitFor();
  expect(await log.locator(".color-2").first().innerText()).toBe("served");
  await answerOf("/second");
  await log.getByText("/second").waitFor();
  await page.getByRole("searchbox").fill("SECOND");
  await expect.poll(() => log.locator(".log-space > div").count()).toBe(1);
  await page.getByRole("searchbox").fill("");
  await press(page, "Requests");
  await log.getByText("/second").first().waitFor();
  expect(await log.locator("img").count()).toBe(0);
});

test("a log that comes in bursts is followed to its last line, and not when somebody has scrolled up", async () => {
  await press(page, "What the app writes");
  const log = page.getByRole("log");
  const follow = page.getByRole("button", { name: "Follow" });
  await log.getByText("/second").waitFor();
  await answerOf("/burst");
  await log.getByText("burst is over").waitFor();
  expect(await follow.getAttribute("aria-pressed")).toBe("true");
  await log.hover();
  await page.mouse.wheel(0, -10_000);
  await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("false");
  await answerOf("/third");
  const count = () => page.getByText(/^\d+ lines/).innerText();
  const before = await count();
  await answerOf("/fourth");
  await expect.poll(count).not.toBe(before);
  expect(await log.getByText("/fourth").count()).toBe(0);
  await follow.click();
  await log.getByText("/fourth").waitFor();
});

test("a log goes on where it stopped when the service is back, and shows no line twice", async () => {
  const log = page.getByRole("log");
  isAway = true;
  await setup.platform.controlPlane.stop("SIGKILL");
  await expectText(page, "The connection is lost. The log goes on where it stopped when it is back.");
  await answerOf("/meanwhile");
  await setup.platform.controlPlane.start();
  await log.getByText("/meanwhile").waitFor();
  await answerOf("/afterwards");
  await log.getByText("/afterwards").waitFor();
  isAway = false;
  expect(await log.getByText("/meanwhile").count()).toBe(1);
  expect(await log.getByText("/fourth").count()).toBe(1);
  expect(await log.getByText("lines may be missing").count()).toBe(0);
});

test("the overview says when nobody observes the app, and when the service itself is away, and recovers", async () => {
  await page.getByRole("link", { name: "Overview" }).click();
  await expectText(page, /^running, healthy since/);
  await setup.platform.agent.stop("SIGKILL");
  await expectText(page, "its server can't be reached");
  await setup.platform.agent.start();
  await expectText(page, /^running, healthy since/);
  isAway = true;
  await setup.platform.controlPlane.stop();
  await expectText(page, "The service can't be reached. Check your connection and try again.");
  await setup.platform.controlPlane.start();
  await expect.poll(() => page.getByText("The service can't be reached.").count()).toBe(0);
  isAway = false;
});

test("the page of servers says within 10 s that an agent was killed, since when, and that it is back", async () => {
  await setup.platform.admin("user", "operator", "--email", "ada@example.com");
  const overview = page.url();
  await page.goto(new URL("/servers", overview).href);
  const row = page.getByRole("region", { name: "Servers" }).getByRole("row").nth(1);
  await row.getByRole("cell", { name: "takes new apps" }).waitFor();
  // The figures of a host that is there.
  expect(await row.innerText()).toMatch(/\d+ %, \d+\.\d\d\s+\d+ %/);
  await setup.platform.agent.stop("SIGKILL");
  await row.getByText(/^away since \d{4}-/).waitFor({ timeout: 10_000 });
  await setup.platform.agent.start();
  await row.getByRole("cell", { name: "takes new apps" }).waitFor();
  await page.goto(overview);
});

test("variables that were pasted are hidden, and the next deploy brings them", async () => {
  await page.getByRole("link", { name: "Variables" }).click();
  await expectText(page, "The app has no variables.");
  await field(page, "Content of the file").fill("# a comment\nGREETING='to \"you\"'\nOTHER=1\nnonsense");
  await press(page, "Set all of them");
  await expectText(page, "Line 4: write KEY=value");
  await field(page, "Content of the file").fill("# a comment\nGREETING='to \"you\"'\nOTHER=1");
  await press(page, "Set all of them");
  await expectText(page, "2 variables were written, for the next deploy.");
  expect(await page.content()).not.toContain('to "you"');
  await press(page, "Show GREETING");
  await expectText(page, 'to "you"');
  await press(page, "Delete OTHER");
  await press(page, "Yes, delete OTHER");
  await expectText(page, "OTHER was deleted.");
  await press(page, "Deploy");
  await page.getByRole("heading", { level: 2, name: "v2: succeeded" }).waitFor();
  expect(await answerOf()).toBe('hello to "you"');
});

test("a deploy that fails says why on top, and what served goes on", async () => {
  await repository.commit(program("process.exit(3)"));
  await page.getByRole("link", { name: "Deploys", exact: true }).click();
  // The page that is left may be shown for a moment, and has the button too.
  await expectHeading(page, "shop: Deploys");
  await press(page, "Deploy");
  await page.getByRole("heading", { level: 2, name: "v3: failed" }).waitFor();
  const why = await page.getByRole("region", { name: "Why it failed" }).innerText();
  expect(why).toMatch(/exit|ended/i);
  expect(await answerOf()).toBe('hello to "you"');
  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByRole("region", { name: "Needs attention" }).getByText("v3:").waitFor();
});

test("a build that writes 20,000 lines a second leaves the page usable, and no line is missing without a word", async () => {
  await repository.commit(floodingBuild(200_000));
  await page.getByRole("link", { name: "Deploys", exact: true }).click();
  // The page that is left may be shown for a moment, and has the button too.
  await expectHeading(page, "shop: Deploys");
  await press(page, "Deploy");
  await page.getByRole("heading", { level: 2, name: "v4: running" }).waitFor();
  const log = page.getByRole("log");
  await log
    .getByText(/^#\d+ \d+$/)
    .first()
    .waitFor();
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.click({ timeout: 10_000 });
  await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("false");
  await follow.click({ timeout: 10_000 });
  await page.getByRole("heading", { level: 2, name: "v4: succeeded" }).waitFor();
  const saved = page.waitForEvent("download");
  await press(page, "Save");
  expect(unexplainedGaps(readFileSync(await (await saved).path(), "utf8"), 200_000)).toEqual([]);
});

test("a release that served is gone back to", async () => {
  await page.getByRole("link", { name: "Deploys", exact: true }).click();
  await press(page, "Roll back to v1");
  await press(page, "Yes, roll back to v1");
  await expectText(page, "shop serves v1 again.");
  expect(await answerOf()).toBe("hello nobody");
});

test("a domain that is not proven yet is refused with the exact records", async () => {
  await page.getByRole("link", { name: "Domains" }).click();
  await field(page, "Domain").fill("shop.example.com");
  await press(page, "Add the domain");
  const record = page.getByRole("group", { name: "Records for shop.example.com" });
  await record.getByText("_svc-verify.shop.example.com").waitFor();
  expect(await record.getByText(/^svc-verify=/).innerText()).toMatch(/^svc-verify=[\w-]{20,}$/);
});

test("an app is deleted by whoever writes its name", async () => {
  await page.getByRole("link", { name: "Settings" }).click();
  await press(page, "Delete the app …");
  await field(page, "Write shop to go on").fill("shopp");
  await press(page, "Delete it for ever");
  expect(await page.evaluate("document.activeElement.validity.patternMismatch")).toBe(true);
  await field(page, "Write shop to go on").fill("shop");
  await press(page, "Delete it for ever");
  await expectText(page, "There are no apps yet.");
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(complaints).toEqual([]);
});
