import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../support/api/http.ts";
import { PlanningAgent } from "../support/agent/planning-agent.ts";
import { addDeploy } from "../support/api/pipeline.ts";
import { addLiveRelease } from "../support/api/scripted-apps.ts";
import { addPersonWithKey, expectHeading, expectText, field, openClipboard, press } from "../support/people/on-page.ts";
import { hearOf } from "../support/people/operator.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

const COMMIT = "a".repeat(40);

let world: PagesWorld;
let page: Page;
let caller: Caller;
let serverId: string;

beforeAll(async () => {
  world = await startPagesWorld({
    domainChecks: {
      txt: async () => ({ values: [] }),
      address: async () => ({ leadsHere: true }),
      handshake: async () => ({ error: "no certificate" }),
    },
  });
  ({ page, caller } = await addPersonWithKey(world));
  serverId = await world.http.addServer("berlin");
  await hearOf(world.http, serverId);
  await query("update server_hearings set heard_at = now() + interval '1 hour'");
  await query("update users set tier = 'team' where id = $1", [caller.userId]);
});
afterAll(() => world?.stop());

const query = (text: string, values: readonly unknown[] = []) => world.http.database.query(text, [...values]);

async function addApp(name: string, repo_url = `https://git.example.com/ada/${name}`) {
  const { json } = await caller.call("POST", "/api/apps", { name, repo_url });
  return { id: (json["app"] as { id: string }).id, userId: caller.userId };
}

/** Lets the deploy begin and fail. */
async function fail(deploy: string, { error, ref }: { error?: string; ref?: string } = {}): Promise<void> {
  await query("update deploys set status = 'running', started_at = now() where id = $1", [deploy]);
  await query(
    "update deploys set status = 'failed', finished_at = now(), error = $2, ref = $3, commit_sha = $4 where id = $1",
    [deploy, error, ref, COMMIT],
  );
}

/** An app that v1 serves, whose deploy of v2 has ended since. */
async function addServed(name: string, end: { status: "success" | "failed"; error?: string }): Promise<void> {
  const app = await addApp(name);
  await addLiveRelease(world.http.parts, { name, userId: caller.userId, serverId });
  const newer = await addDeploy(world.http.parts.db, app, serverId);
  await query("update deploys set status = 'running', release = 'v2', started_at = now() where id = $1", [newer]);
  const ended = "update deploys set status = $2, error = $3, finished_at = now() where id = $1";
  await query(ended, [newer, end.status, end.error]);
  await query("update apps set status = 'running' where name = $1", [name]);
}

test("the lines of a log that a failure quotes stay lines, on the overview and on the page of the deploy", async () => {
  const deploy = await addDeploy(world.http.parts.db, await addApp("fails"), serverId);
  const error = "The app ended while it started.\nIts last log lines:\nstarting\n    at file:///app/server.js:2:21";
  await fail(deploy, { error });
  for (const path of ["/apps/fails", `/apps/fails/deploys/${deploy}`]) {
    await page.goto(world.url + path);
    await expectText(page, /Its last log lines:/);
    expect(await page.locator(".attention p").first().innerText()).toContain(error);
  }
});

test("a deploy that failed is told on the list of apps and on the overview, with the release that stays live", async () => {
  await addServed("former", { status: "failed", error: "The build failed." });
  await page.goto(world.url);
  await page.getByRole("row", { name: /^former running .* v2 failed / }).waitFor();
  await page.goto(`${world.url}/apps/former`);
  await expectText(page, /^v2: failed .*; v1 stays live\.$/);
  await expectText(page, /The build failed\./);

  await query("update apps set status = 'stopped' where name = 'former'");
  await expectText(page, "(live when it is started)");
  await expectText(page, /^v2: failed [^;]*\.$/);
});

test("an app that ends again and again says so with a link to its log, apart from a deploy that failed", async () => {
  await addServed("crashes", { status: "failed", error: "Cannot find module" });
  const health = { state: "unhealthy", reason: "crash_loop", since: new Date().toISOString() };
  await query("update apps set health = $1 where name = 'crashes'", [health]);
  await page.goto(`${world.url}/apps/crashes`);
  const told = page.getByRole("region", { name: "Needs attention" }).getByRole("paragraph");
  await expect.poll(() => told.count()).toBe(2);
  expect(await told.nth(0).innerText()).toMatch(
    /^The app is unhealthy: it ends again and again since .*Its log says more\.$/,
  );
  const failure = await told.nth(1).innerText();
  expect(failure).toMatch(/^v2: failed .*Cannot find module$/);
  expect(failure).not.toContain("stays live");
  const why = page.getByRole("button", { name: "Why?" });
  expect(await why.first().getAttribute("title")).toBe("why is it unhealthy?");
  expect(await why.nth(1).getAttribute("title")).toBe("why did the last deploy fail?");
  await told.getByRole("link", { name: "Its log" }).click();
  await expectHeading(page, "crashes: Logs");
});

test("an overview says which newer release was rolled back, whatever its name", async () => {
  await addServed("back", { status: "success" });
  await page.goto(`${world.url}/apps/back`);
  await expectText(page, /v1 since v2 was rolled back/);
  await query(
    "update deploys set release = 'hotfix' where release = 'v2' and app_id in (select id from apps where name = 'back')",
  );
  await page.reload();
  await expectText(page, /v1 since hotfix was rolled back/);
  expect(await page.getByText(/in the last hour: not known/).count()).toBe(2);
});

test("an overview shows framework and port of what serves, and which settings the next deploy takes", async () => {
  await addServed("set", { status: "failed", error: "It was no Go program." });
  await caller.call("PATCH", "/api/apps/set", { framework: "go", port: 4000 });
  await page.goto(`${world.url}/apps/set`);
  await expectText(page, "takes the repository's newest commit, as framework go and port 4000");
  const facts = await page.locator("dl").first().innerText();
  expect(facts).toMatch(/Framework\s+node\s+Port\s+3000\s/);
});

test("the address of a repository stays when its plan is left, so that a part of it can be changed", async () => {
  await PlanningAgent.add(world.http);
  await page.goto(`${world.url}/new`);
  await field(page, "Address of the repository").fill("https://github.com/ada/shop");
  await field(page, "Folder of the app").fill("web");
  await press(page, "Show the plan");
  await press(page, "Choose another repository");
  expect(await field(page, "Address of the repository").inputValue()).toBe("https://github.com/ada/shop");
  expect(await field(page, "Folder of the app").inputValue()).toBe("web");
});

test("what was written before is told no more once the next variables are refused", async () => {
  await addApp("twice");
  await page.goto(`${world.url}/apps/twice/env`);
  const paste = page.getByRole("region", { name: "Paste a .env file" });
  const send = async (text: string) => {
    await paste.getByLabel("Content of the file").fill(text);
    await paste.getByRole("button", { name: "Set all of them" }).click();
  };
  await send("A=1");
  await expectText(page, "1 variable was written, for the next deploy.");
  await send("A=1\nno variable");
  await expectText(page, /^Line 2: /);
  expect(await page.getByText("1 variable was written").count()).toBe(0);
});

test("the page of variables reads no value before somebody asks to see one", async () => {
  const { id } = await addApp("unread");
  await caller.call("PUT", "/api/apps/unread/env", { env: { TOKEN: "s3cret", OTHER: "0ther" } });
  const readings = async () =>
    (await query("select 1 from audit_log where action = 'env.read' and target = $1", [`app:${id}`])).rows.length;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "GET" && request.url().endsWith("/api/apps/unread/env")) asked.push(request.url());
  });
  await page.goto(`${world.url}/apps/unread/env`);
  await page.getByRole("button", { name: "Show TOKEN" }).waitFor();
  expect(await page.content()).not.toContain("s3cret");
  expect(await readings()).toBe(0);
  await press(page, "Show TOKEN");
  await expectText(page, "s3cret");
  await press(page, "Show OTHER");
  await expectText(page, "0ther");
  await press(page, "Hide TOKEN");
  await page.getByRole("button", { name: "Show TOKEN" }).waitFor();
  expect(await page.getByText("s3cret").count()).toBe(0);
  expect(await readings()).toBe(1);

  await press(page, "Show TOKEN");
  await field(page, "Name of the variable").fill("ADDED");
  await field(page, "Value").fill("l8ter");
  await press(page, "Set the variable");
  await expectText(page, "1 variable was written, for the next deploy.");
  await page.getByRole("button", { name: "Show ADDED" }).waitFor();
  expect(await page.getByRole("button", { name: /^Hide / }).count()).toBe(0);
  expect(asked).toHaveLength(1);
  await press(page, "Show ADDED");
  await expectText(page, "l8ter");
  expect(await page.getByText("s3cret").count()).toBe(0);
  expect(asked).toHaveLength(2);
});

test("a deploy that a page has followed to its end is never shown as one to roll back to", async () => {
  const app = await addApp("serves");
  await addLiveRelease(world.http.parts, { name: "serves", userId: caller.userId, serverId });
  const deploy = await addDeploy(world.http.parts.db, app, serverId);
  await query("update deploys set status = 'running', release = 'v2', started_at = now() where id = $1", [deploy]);
  await page.goto(`${world.url}/apps/serves/deploys/${deploy}`);
  await page.getByRole("heading", { name: "v2: running" }).waitFor();
  await page.evaluate(`new MutationObserver(() => {
    if (document.querySelector("main").innerText.includes("What a roll back to v2")) document.title = "shown";
  }).observe(document.body, { childList: true, subtree: true })`);

  // The app is read later than the deploy.
  const appAnswers = Promise.withResolvers<void>();
  await page.route(/\/api\/apps\/serves$/, async (route) => {
    await appAnswers.promise;
    await route.continue();
  });
  const ended = page.waitForResponse(
    async (response) =>
      response.url().endsWith(`/api/deploys/${deploy}`) && (await response.text()).includes('"success"'),
  );
  await query("update deploys set status = 'success', finished_at = now(), commit_sha = $2 where id = $1", [
    deploy,
    COMMIT,
  ]);
  await query(
    `with made as (insert into releases select (jsonb_populate_record(r, jsonb_build_object(
         'id', gen_random_uuid(), 'name', 'v2', 'deploy_id', $1::text))).* from releases r where r.app_id = $2 returning id)
     update apps set current_release_id = (select id from made) where id = $2`,
    [deploy, app.id],
  );
  await ended;
  appAnswers.resolve();
  await page.getByRole("heading", { name: "v2: succeeded" }).waitFor();
  await page.unroute(/\/api\/apps\/serves$/);
  expect(await page.title()).not.toBe("shown");
});

test("the list of deploys names a commit once that was deployed by its own name, and who asked for each", async () => {
  const app = await addApp("pushes");
  for (const ref of [COMMIT, "main"]) await fail(await addDeploy(world.http.parts.db, app, serverId), { ref });
  await page.goto(`${world.url}/apps/pushes/deploys`);
  const cells = page.getByRole("cell").filter({ hasText: "aaaaaaa" });
  await expect
    .poll(async () => (await cells.allInnerTexts()).map((text) => text.trim()))
    .toEqual(["aaaaaaa main", "aaaaaaa"]);
  const { rows } = await query("select email from users where id = $1", [caller.userId]);
  const email = String(rows[0]!["email"]);
  await expect.poll(() => page.getByRole("cell", { name: email, exact: true }).count()).toBe(2);
  await page.getByRole("region", { name: "Table of deploys" }).getByRole("link").first().click();
  await expectText(page, `by ${email}`);
});

test("the lines between variables go through all columns, also below a value of several lines", async () => {
  await addApp("variables");
  await caller.call("PUT", "/api/apps/variables/env", { env: { KEYS: "one\ntwo\nthree\nfour", TOKEN: "s3cret" } });
  await page.goto(`${world.url}/apps/variables/env`);
  await press(page, "Show KEYS");
  await expectText(page, /four/);
  const ends = (await page.evaluate(
    "[...document.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.getBoundingClientRect().bottom))",
  )) as number[][];
  expect(ends).toHaveLength(2);
  for (const row of ends) expect(new Set(row).size, `cells end at ${row.join(", ")}`).toBe(1);
});

test("caps are set and given back to the tier on the page of settings, which says how the app is", async () => {
  await addApp("capped");
  await page.goto(`${world.url}/apps/capped/settings`);
  await expectText(page, "It is healthy while its port accepts connections.");
  const stored = async () => (await caller.call("GET", "/api/apps/capped")).json["app"];
  const save = async (memory: string, cpus: string) => {
    await field(page, "Memory at most").fill(memory);
    await field(page, "CPUs at most").fill(cpus);
    await press(page, "Save the settings");
  };
  await save("128m", "0.5");
  await expectText(page, "The settings were saved.");
  expect(await stored()).toMatchObject({ memory: "128m", cpus: "0.5" });
  await save("", "0.5");
  await expect.poll(stored).toMatchObject({ memory: null, cpus: "0.5", port: null });
});

test("an app is deleted so that it can be brought back, and keeps its variables", async () => {
  await addApp("resting");
  await caller.call("PUT", "/api/apps/resting/env", { env: { KEPT: "value" } });
  await page.goto(`${world.url}/apps/resting/settings`);
  await press(page, "Delete it, and keep its data");
  await press(page, "Yes, delete it, and keep its data");
  await expectText(page, "The app is deleted, and can be brought back: its next deploy does that.");
  expect((await caller.call("GET", "/api/apps/resting")).json["app"]).toMatchObject({ status: "soft_stopped" });
  expect((await caller.call("GET", "/api/apps/resting/env")).json["env"]).toEqual({ KEPT: "value" });
});

test("an app of a repository of the platform's own tells how to clone it, and deploys pushes when it is told to", async () => {
  const { json } = await caller.call("POST", "/api/repositories", { name: "hosted" });
  const repository = String(json["repo_url"]);
  await addApp("hosted", repository);
  const refused: string[] = [];
  page.on("response", (response) => void (response.status() >= 400 && refused.push(response.url())));
  await page.goto(`${world.url}/apps/hosted/settings`);
  await expectText(page, `git clone ${repository}`);
  await expectText(page, "A push is not deployed by itself");
  await press(page, "Deploy each push");
  await expectText(page, "Each push of the default branch is deployed.");
  const { json: app } = await caller.call("GET", "/api/apps/hosted");
  expect(app["app"]).toMatchObject({ deploy_on_push: true });
  await press(page, "Deploy no push by itself");
  await expectText(page, "A push is not deployed by itself");
  expect(refused).toEqual([]);
});

test("a domain that is not proven yet is answered with both records: whose it is, and where it leads", async () => {
  await addApp("named");
  await addLiveRelease(world.http.parts, { name: "named", userId: caller.userId, serverId });
  const { json } = await caller.call("GET", "/api/apps/named");
  const { hostname } = new URL((json["app"] as { url: string }).url);
  await page.goto(`${world.url}/apps/named/domains`);
  await field(page, "Domain").fill("shop.example.org");
  await press(page, "Add the domain");
  const records = page.getByRole("group", { name: "Records for shop.example.org" });
  await records.waitFor();
  const text = (await records.locator("dt, dd:not(:has(code)), dd code").allInnerTexts()).join(" ");
  expect(text).toMatch(/^Type TXT Name _svc-verify\.shop\.example\.org Value svc-verify=\S+ Type/);
  expect(text).toContain(`Type CNAME Name shop.example.org Value ${hostname}`);

  const readClipboard = await openClipboard(page);
  for (const [record, shown] of [
    ["the name of the TXT record", "_svc-verify.shop.example.org"],
    ["the value of the TXT record", await records.getByText(/^svc-verify=/).innerText()],
    ["the name of the CNAME record", "shop.example.org"],
    ["the value of the CNAME record", hostname],
  ] as const) {
    await press(page, `Copy ${record}`);
    await expect.poll(readClipboard).toBe(shown);
  }
  expect(await records.getByText("Copied.").count()).toBe(4);
});

test("a receiver is told of deploys, and of the app's health where that was asked for", async () => {
  await addApp("hooked");
  await page.goto(`${world.url}/apps/hooked/webhooks`);
  for (const [path, isAsked] of [
    ["deploys", false],
    ["health", true],
  ] as const) {
    await field(page, "Address").fill(`https://93.184.215.14/${path}`);
    await page.getByRole("checkbox", { name: /^Also when the app becomes unhealthy/ }).setChecked(isAsked);
    await press(page, "Add the receiver");
    await page.getByRole("heading", { name: `https://93.184.215.14/${path}` }).waitFor();
    await expectText(page, /X-Service-Signature is sha256= and the HMAC-SHA256/);
  }
  const { json } = await caller.call("GET", "/api/apps/hooked/webhooks");
  // None are named for the events of deploys alone.
  expect((json["webhooks"] as { events?: string[] }[]).map(({ events }) => events)).toEqual([
    undefined,
    ["deploy.succeeded", "deploy.failed", "deploy.rolled_back", "app.unhealthy", "app.recovered"],
  ]);
  expect(await page.getByText("It is told of the app's health, too.").count()).toBe(1);
});

test("a line of a .env file that can't be read is named as a line", async () => {
  await addApp("pasted");
  await page.goto(`${world.url}/apps/pasted/env`);
  await expectHeading(page, "pasted: Variables");
  await field(page, "Content of the file").fill("A=1\nno variable");
  await press(page, "Set all of them");
  await expectText(page, /^Line 2: write KEY=value/);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
