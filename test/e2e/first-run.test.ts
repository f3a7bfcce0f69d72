import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectHeading, expectText, field, press } from "../support/people/on-page.ts";
import { PASSWORD } from "../support/people/person.ts";
import { program } from "../support/platform/apps.ts";
import { startBrowser } from "../support/platform/browser.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { eventually } from "../support/tools/eventually.ts";

const PATIENCE_MS = 120_000;

const GREETER = program(
  `require("node:http").createServer((_, res) => res.end("hello " + process.env.GREETING)).listen(process.env.PORT, "0.0.0.0");`,
);

const SPEC = "# spec: svc/v1\nname: greeter\nport: 4321\nenv: [GREETING]\n";

let setup: PlatformWithGit;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [setup, browser] = await Promise.all([startPlatformWithGit(), startBrowser()]);
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const invited = await setup.platform.admin("user", "invite", "--email", "ada@example.com", "--json");
  await page.goto((JSON.parse(invited) as { link: string }).link);
  await field(page, "Name").fill("Ada");
  await field(page, "Password").fill(PASSWORD);
  await press(page, "Join");
  await expectHeading(page, "Apps");
});
afterAll(async () => {
  await browser?.close();
  await setup?.stop();
});

const openNew = async () => {
  await page.goto(new URL("/new", page.url()).href);
  await expectHeading(page, "New app");
};

test("an address that leads to no repository is refused beside its field, and nothing is made", async () => {
  await openNew();
  await field(page, "Address of the repository").fill(`${setup.git.url}/none.git`);
  await press(page, "Show the plan");
  await expectText(page, "There is no git repository at");
  await field(page, "Address of the repository").fill("ftp://example.com/x");
  await press(page, "Show the plan");
  await expectText(page, /https:\/\//);
  expect(await setup.platform.api("GET", "/api/apps")).toMatchObject({ body: { apps: [] } });
});

test("what the platform can't recognise is said before anything is made", async () => {
  const { url } = await setup.git.repository("notes", { "notes.txt": "hello\n" });
  await openNew();
  await field(page, "Address of the repository").fill(url);
  await press(page, "Show the plan");
  const reason = page.getByRole("region", { name: "No plan" });
  await reason.getByText(/package\.json|Dockerfile/).waitFor();
  await press(page, "Choose another repository");
  await field(page, "Address of the repository").waitFor();
  expect(await setup.platform.api("GET", "/api/apps")).toMatchObject({ body: { apps: [] } });
});

test("by the keyboard alone, a repository becomes an app with its variables, which is served", async () => {
  const { url } = await setup.git.repository("greeter-code", { ...GREETER, "svc.yaml": SPEC });
  await openNew();
  // The first field has the focus.
  await page.keyboard.type(url);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What will be built" }).waitFor();
  await expectText(page, "4321");
  expect(await field(page, "Name").inputValue()).toBe("greeter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("world");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "v1: succeeded" }).waitFor();
  expect((await setup.platform.fetchApp("greeter", "/")).body).toBe("hello world");
});

test("a project that is pushed to a repository of the platform's is deployed", async () => {
  await openNew();
  await press(page, "Push from my computer");
  await field(page, "Name").fill("pushed");
  await press(page, "Make the repository");
  const commands = await page.getByRole("region", { name: "How to push" }).locator("pre").innerText();
  const url = /remote add svc (\S+)/.exec(commands)![1]!;

  await page.goto(new URL("/settings/keys", page.url()).href);
  await field(page, "Name").fill("git");
  await press(page, /^Make/);
  const key = await eventually(
    async () => /svc_[\w-]+/.exec(await page.locator("pre").first().innerText())?.[0],
    (found) => found !== undefined,
    { what: "the key" },
  );

  const directory = mkdtempSync(join(tmpdir(), "svc-push-"));
  try {
    const git = (...args: string[]) =>
      promisify(execFile)("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
        cwd: directory,
        env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" },
      });
    await git("init", "--quiet", "--initial-branch=main");
    writeFileSync(join(directory, "index.html"), "<p>pushed</p>\n");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "A page");
    const withKey = new URL(url);
    withKey.username = "ada";
    withKey.password = key!;
    await git("push", "--quiet", "--force", withKey.href, "HEAD:main");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  await page.goto(new URL("/apps/pushed/deploys", page.url()).href);
  await page.getByRole("link", { name: "v1" }).click();
  await page.getByRole("heading", { level: 2, name: "v1: succeeded" }).waitFor();
  expect((await setup.platform.fetchApp("pushed", "/")).body).toBe("<p>pushed</p>\n");
});
