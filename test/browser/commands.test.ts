import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../support/api/http.ts";
import { addPersonWithKey, expectHeading } from "../support/people/on-page.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";

let world: PagesWorld;
let page: Page;
let caller: Caller;
let svc: SvcUser;

beforeAll(async () => {
  world = await startPagesWorld();
  ({ page, caller } = await addPersonWithKey(world));
  svc = await makeSvcUser({ SVC_URL: world.url, SVC_API_KEY: caller.key });
  for (const name of ["shop", "cart"]) {
    await caller.call("POST", "/api/apps", { name, repo_url: "https://git.example.com/ada/shop" });
  }
});
afterAll(async () => {
  await svc?.remove();
  await world?.stop();
});

/** The commands that a page shows: a line each. */
async function commandsOn(tab: string): Promise<string[]> {
  await page.goto(`${world.url}/apps/shop${tab}`);
  await page.getByText("The same from a terminal").click();
  const blocks = page.locator("details.commands pre");
  await blocks.first().waitFor();
  return (await blocks.allInnerTexts()).flatMap((text) => text.split("\n"));
}

async function run(line: string): Promise<string> {
  if (line.startsWith("svc ")) {
    // One that waits, for a server or a record of DNS, was understood.
    const argv = line.slice("svc ".length).split(" ");
    const { stdout, stderr } = await svc.svc(argv, { stdin: "value\n", timeoutMs: 5_000 });
    return stdout + stderr;
  }
  // A stream ends when nothing comes for a while.
  const shell = promisify(execFile)("sh", ["-c", line.replace(/^curl/, "curl --silent --max-time 2")], {
    env: { PATH: process.env["PATH"], SVC_API_KEY: caller.key },
  });
  return shell.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test.each(["", "/deploys", "/env", "/domains", "/logs", "/metrics", "/webhooks", "/settings"])(
  "each command that the page %j shows is understood by the service",
  async (tab) => {
    const lines = await commandsOn(tab);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect.soft(line).toMatch(/^(svc|curl) /);
      // Otherwise curl keeps lines back, which were to be seen as they come.
      if (/^curl.*(follow=1|\/events)'$/.test(line)) expect.soft(line).toMatch(/^curl -N /);
      // An answer that something is not there, as a placeholder of an id, is no misunderstanding.
      const answer = await run(line);
      expect.soft(answer, line).not.toMatch(/invalid_request|method_not_allowed|unauthorized|unsupported_media_type/);
      expect.soft(answer, line).not.toMatch(/There is no command|is not an option|too many|is missing/);
    }
  },
);

test("the palette finds pages, apps and actions by parts of their names, by the keyboard alone", async () => {
  await page.goto(world.url);
  await expectHeading(page, "Apps");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to a page, or do something" });
  const app = palette.getByRole("option", { name: "cart", exact: true });
  await app.waitFor();
  await page.keyboard.type("var ca");
  await page.keyboard.press("Enter");
  await expectHeading(page, "cart: Variables");

  await page.keyboard.press("Control+k");
  await app.waitFor();
  await page.keyboard.type("nothing of this name");
  await palette.getByText("Nothing has these words in its name.").waitFor();
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
});

test("a letter after g goes to a page, a slash to the search, and neither where somebody writes", async () => {
  await page.goto(`${world.url}/apps/cart`);
  await expectHeading(page, "cart: Overview");
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expectHeading(page, "cart: Logs");
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expectHeading(page, "cart: Variables");
  await page.getByLabel("Name of the variable").focus();
  await page.keyboard.type("gl/?");
  expect(await page.getByLabel("Name of the variable").inputValue()).toBe("gl/?");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
