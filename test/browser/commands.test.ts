import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PlanningAgent } from "../support/agent/planning-agent.ts";
import { addPersonWithKey, expectHeading, newEmail, openClipboard, press } from "../support/people/on-page.ts";
import { addOperator } from "../support/people/operator.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";
import { untilShown } from "../support/pictures/until-shown.ts";
import { ADMIN } from "../support/platform/bundles.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";

/** Somebody who looks at pages, and what their terminal has. */
interface Reader {
  page: Page;
  env: Record<string, string>;
}

let world: PagesWorld;
let page: Page;
let person: Reader;
/** The same person with a key of their team. */
let owner: Reader;
let operator: Reader;
let team: string;
let userId: string;
let svc: SvcUser;

beforeAll(async () => {
  world = await startPagesWorld();
  const added = await addPersonWithKey(world);
  ({ page } = added);
  const { caller } = added;
  ({ userId } = caller);
  await world.http.database.query("update users set tier = 'team' where id = $1", [userId]);
  person = { page, env: { SVC_API_KEY: caller.key } };
  svc = await makeSvcUser({ SVC_URL: world.url });
  for (const name of ["shop", "cart"]) {
    const repository = await caller.call("POST", "/api/repositories", { name });
    await caller.call("POST", "/api/apps", { name, repo_url: repository.json["repo_url"] });
  }
  const { json } = await caller.call("POST", "/api/teams", { name: "Acme" });
  team = (json["team"] as { id: string }).id;
  const { key } = await world.http.addCaller({ userId, teamId: team });
  owner = { page, env: { SVC_API_KEY: key } };
  const { cookie } = await addOperator(world.http, newEmail());
  operator = {
    page: await world.openBrowser(cookie),
    env: { SVC_SESSION: cookie, DATABASE_URL: world.http.database.url, SVC_DATA_DIR: svc.home },
  };
});
afterAll(async () => {
  await svc?.remove();
  await world?.stop();
});

async function openCommands(page: Page, path: string): Promise<Locator> {
  await page.goto(world.url + path);
  await page.getByText("The same from a terminal").click();
  const commands = page.locator("details.commands");
  await commands.locator("pre").first().waitFor();
  return commands;
}

/** Runs a line as whoever reads it would: with something in the place of what is in capitals. */
async function run(line: string, { env }: Reader): Promise<string> {
  if (line.startsWith("svc ")) {
    // One that waits, for a server or a record of DNS, was understood.
    const argv = line.slice("svc ".length).split(" ");
    const { stdout, stderr } = await svc.svc(argv, { env, stdin: "value\n", timeoutMs: 5_000 });
    return stdout + stderr;
  }
  const command = line
    .replace(/^npm run admin --/, `"${process.execPath}" "${ADMIN}"`)
    // A stream ends when nothing comes for a while.
    .replace(/^curl/, "curl --silent --max-time 2")
    .replace("user=USER", `user=${userId}`)
    .replace("REPO_URL", `${world.url}/git/${userId}/mine.git`);
  const shell = promisify(execFile)("sh", ["-c", command], { env: { PATH: process.env["PATH"], ...env } });
  return shell.then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

async function expectUnderstood(reader: Reader, path: string): Promise<void> {
  const lines = await (await openCommands(reader.page, path)).locator("pre").allInnerTexts();
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    expect.soft(line).toMatch(/^(svc|curl|npm run admin --) .*$/);
    // Otherwise curl keeps lines back, which were to be seen as they come.
    if (/^curl.*(follow=1|\/events|\/messages|\/cards\/)/.test(line)) expect.soft(line).toMatch(/^curl -N /);
    // An answer that something is not there, as a placeholder of an id, is no misunderstanding.
    const answer = await run(line, reader);
    expect.soft(answer, line).not.toMatch(/invalid_request|method_not_allowed|unauthorized|unsupported_media_type/);
    expect.soft(answer, line).not.toMatch(/There is nothing at this path|No server is called|origin_refused/);
    expect.soft(answer, line).not.toMatch(/There is no command|is not an option|too many|is missing/);
    expect.soft(answer, line).not.toMatch(/unknown (command|option)|missing required|required option/);
  }
}

test.each(["", "/deploys", "/env", "/domains", "/logs", "/metrics", "/webhooks", "/settings"])(
  "each command that the page %j of an app shows is understood by the service",
  (tab) => expectUnderstood(person, `/apps/shop${tab}`),
);

test.each(["/", "/new", "/activity", "/chat"])(
  "each command that the page %s shows is understood by the service",
  async (path) => {
    if (path === "/new") await PlanningAgent.add(world.http);
    await expectUnderstood(person, path);
  },
);

test.each(["/activity?of=", "/settings/team?team="])(
  "each command that the page %s shows of a team is understood by the service, with a key of the team",
  (path) => expectUnderstood(owner, path + team),
);

test.each(["/servers", "/servers/berlin", "/teams", "/activity?of=platform"])(
  "each command that the page %s shows is understood by the service, for an operator's session or on its machine",
  async (path) => {
    if (path === "/servers/berlin") await world.http.addServer("berlin");
    await expectUnderstood(operator, path);
  },
);

test("a page whose calls are for pages alone shows no commands", async () => {
  for (const path of ["/settings/keys", "/settings/profile", "/settings/sessions"]) {
    await page.goto(world.url + path);
    await untilShown(page);
    expect(await page.getByText("The same from a terminal").count()).toBe(0);
  }
});

test("a button copies the exact line, and says so beside it", async () => {
  const readClipboard = await openClipboard(page);
  const commands = await openCommands(page, "/apps/cart");
  for (const tool of ["svc", "curl"]) {
    const line = commands.locator(".row").filter({ has: page.getByLabel(`Restart, as ${tool}`, { exact: true }) });
    await line.getByRole("button", { name: `Copy ${tool}: Restart`, exact: true }).click();
    await line.getByText("Copied.").waitFor();
    expect(await readClipboard()).toBe(await line.locator("pre").innerText());
  }
  expect(await readClipboard()).toMatch(
    /^curl -X POST .* -d '\{"action":"restart"\}' 'http.*\/api\/apps\/cart\/action'$/,
  );
});

test("where the browser lets no page copy, the button selects the line", async () => {
  const commands = await openCommands(page, "/apps/cart");
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await press(page, "Copy svc: Restart");
  await commands.getByText(/^This browser does not let a page copy here\. The text is selected/).waitFor();
  expect(await page.evaluate("getSelection().toString()")).toBe("svc restart cart");
});

test.each(["shop;touch /tmp/x|sh", "--url=http://evil.example", "x\u0015touch /tmp/x\n#", "x\u001b[201~y"])(
  "a link to a page of the made-up name %j gives no line to copy",
  async (made) => {
    await page.goto(`${world.url}/apps/${encodeURIComponent(made)}/deploys`);
    await page.getByText("The same from a terminal").click();
    await page.getByText("The key is").waitFor();
    expect(await page.locator("details.commands pre").count()).toBe(0);
  },
);

test("the palette finds pages, apps and actions by parts of their names, by the keyboard alone", async () => {
  await page.goto(world.url);
  await expectHeading(page, "Apps");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Go to a page" });
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
