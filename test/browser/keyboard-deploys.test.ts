import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DomainChecks } from "@svc/control-plane/ports.ts";
import type { Caller } from "../support/api/http.ts";
import { addDeploy } from "../support/api/pipeline.ts";
import { addLiveRelease } from "../support/api/scripted-apps.ts";
import { byKeyboard } from "../support/people/by-keyboard.ts";
import { addPersonWithKey, expectHeading, expectText } from "../support/people/on-page.ts";
import { hearOf } from "../support/people/operator.ts";
import { startPagesWorld, type PagesWorld } from "../support/people/pages-world.ts";

let world: PagesWorld;
let page: Page;
let caller: Caller;
let serverId: string;
let keyboard: ReturnType<typeof byKeyboard>;
/** The values of each TXT record. */
let records: string[] = [];

const domainChecks: DomainChecks = {
  txt: async () => ({ values: records }),
  address: async () => ({ leadsHere: true }),
  handshake: async () => ({ error: "no certificate" }),
};

beforeAll(async () => {
  world = await startPagesWorld({ domainChecks });
  ({ page, caller } = await addPersonWithKey(world));
  keyboard = byKeyboard(page);
  await query("update users set tier = 'team' where id = $1", [caller.userId]);
  serverId = await world.http.addServer("berlin");
  await hearOf(world.http, serverId);
});
afterAll(() => world?.stop());

const query = (text: string, values: readonly unknown[]) => world.http.database.query(text, [...values]);

async function addApp(name: string): Promise<{ id: string; userId: string }> {
  const { json } = await caller.call("POST", "/api/apps", { name, repo_url: `https://git.example.com/ada/${name}` });
  return { id: (json["app"] as { id: string }).id, userId: caller.userId };
}

test("by the keyboard alone, a deploy that waits and one that runs are canceled", async () => {
  const { press, sayYes } = keyboard;
  const app = await addApp("cancels");
  for (const status of ["pending", "running"]) {
    const deploy = await addDeploy(world.http.parts.db, app, serverId);
    await query("update deploys set status = $2, started_at = case $2 when 'running' then now() end where id = $1", [
      deploy,
      status,
    ]);
    await page.goto(`${world.url}/apps/cancels/deploys/${deploy}`);
    await press("Cancel the deploy");
    await sayYes();
    const asked = async () =>
      (await query("select status, cancel_requested_at from deploys where id = $1", [deploy])).rows[0];
    if (status === "pending") await expect.poll(asked).toMatchObject({ status: "canceled" });
    else await expect.poll(asked).toMatchObject({ cancel_requested_at: expect.any(Date) as Date });
    await query("update deploys set status = 'canceled', finished_at = now() where id = $1", [deploy]);
  }
});

test("by the keyboard alone, an app is rolled back", async () => {
  const { press, sayYes } = keyboard;
  await addApp("rolls");
  for (const release of ["v1", "v2"])
    await addLiveRelease(world.http.parts, { name: "rolls", userId: caller.userId, serverId, release });
  await page.goto(`${world.url}/apps/rolls/deploys`);
  await press("Roll back to v1");
  await sayYes();
  const asked = () =>
    query(
      "select d.kind from deploys d join apps a on a.id = d.app_id where a.name = 'rolls' and d.kind = 'rollback'",
      [],
    );
  await expect.poll(async () => (await asked()).rows.length).toBe(1);
  // Nobody works on it here.
  await query("update deploys set status = 'canceled', finished_at = now() where kind = 'rollback'", []);
});

test("by the keyboard alone, a domain is refused with its record, added, and removed", async () => {
  const { expectFocus, field, press, sayYes, write } = keyboard;
  await addApp("names");
  await addLiveRelease(world.http.parts, { name: "names", userId: caller.userId, serverId });
  await page.goto(`${world.url}/apps/names/domains`);
  await write("Domain", "shop.example.org");
  await page.keyboard.press("Enter");
  const record = page.getByRole("group", { name: "Records for shop.example.org" });
  records = [await record.getByText(/^svc-verify=/).innerText()];
  await expectFocus(field("Domain").or(page.getByRole("alert")));
  await write("Domain", "shop.example.org");
  await page.keyboard.press("Enter");
  await expectText(page, "shop.example.org was added. Its certificate is made now.");
  await press("Remove shop.example.org");
  await sayYes();
  await expectText(page, "There are no domains yet.");
});

test("by the keyboard alone, a message that failed is sent again", async () => {
  const { expectFocus, press } = keyboard;
  await addApp("tells");
  const { json } = await caller.call("POST", "/api/apps/tells/webhooks", { url: "https://93.184.215.14/hook" });
  await query(
    `insert into webhook_deliveries (id, webhook_id, event, body, status, attempts, response_status, error, finished_at)
       values ($1, $2, 'deploy.failed', '{}', 'failed', 2, 500, 'The receiver answered with 500.', now())`,
    [randomUUID(), json["id"]],
  );
  await page.goto(`${world.url}/apps/tells/webhooks`);
  await expectHeading(page, "tells: Webhooks");
  await page.getByText("The receiver answered with 500.").waitFor();
  await press("Send again deploy.failed");
  await expectText(page, "It is sent again, as a new delivery.");
  await expectFocus(page.locator(".domains .notice"));
  await expect.poll(() => page.getByRole("rowheader", { name: "deploy.failed" }).count()).toBe(2);
});

test("no page broke its policy, or had a fault of its own", () => {
  expect(world.complaints).toEqual([]);
});
