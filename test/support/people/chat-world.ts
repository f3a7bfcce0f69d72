import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Caller } from "../api/http.ts";
import { addLiveRelease, ScriptedApps } from "../api/scripted-apps.ts";
import { addPersonWithKey } from "./on-page.ts";
import { hearOf } from "./operator.ts";
import type { PagesWorld } from "./pages-world.ts";

/** Somebody with an app that serves, on a server whose agent is scripted. */
export interface Asker {
  page: Page;
  caller: Caller;
  app: string;
  agent: ScriptedApps;
}

let apps = 0;

export async function addAsker(world: PagesWorld): Promise<Asker> {
  const { page, caller } = await addPersonWithKey(world);
  const app = `shop-${++apps}`;
  await caller.call("POST", "/api/apps", { name: app, repo_url: "https://github.com/ada/shop" });
  const serverId = await world.http.addServer(`server-of-${app}`);
  await hearOf(world.http, serverId);
  const agent = new ScriptedApps();
  world.http.links.clients.set(serverId, agent.client());
  await addLiveRelease(world.http.parts, { name: app, userId: caller.userId, serverId, env: {} });
  return { page, caller, app, agent };
}

/** The chat beside a page. */
export const drawerOf = (page: Page): Locator => page.getByRole("complementary", { name: "Chat" });

export const fieldIn = (place: Locator | Page): Locator => place.getByLabel(/^(Command|Message)$/);

/** Writes a message and sends it. */
export async function say(place: Locator | Page, text: string): Promise<void> {
  await fieldIn(place).fill(text);
  await fieldIn(place).press("Enter");
  await place.getByText("Answering …").waitFor({ state: "detached" });
}

/** Waits until the app has so many deploys. */
export function expectDeploys({ http }: PagesWorld, app: string, count: number): Promise<void> {
  const read = () =>
    http.database.query("select d.id from deploys d join apps a on a.id = d.app_id where a.name = $1", [app]);
  return expect.poll(async () => (await read()).rows.length).toBe(count);
}
