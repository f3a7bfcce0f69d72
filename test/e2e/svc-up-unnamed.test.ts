import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openSvcTerminal } from "../support/svc/svc-terminal.ts";
import { startPlatform, type Platform } from "../support/platform/platform.ts";
import { makeSvcUser, type SvcUser } from "../support/svc/svc.ts";

/** `svc up` in a folder without a spec file. */
let platform: Platform;
let user: SvcUser;
let folder: string;
let count = 0;

beforeAll(async () => {
  platform = await startPlatform();
  user = await makeSvcUser({ SVC_URL: platform.baseUrl, SVC_API_KEY: platform.key });
});
afterAll(async () => {
  await user?.remove();
  await platform?.stop();
});
beforeEach(async () => {
  folder = `My Site ${(count += 1)}`;
  await user.write({ [`${folder}/index.html`]: "<h1>hello</h1>\n" });
});

const path = (): string => join(user.folder, folder);
const hasSpecFile = (): Promise<boolean> =>
  access(join(path(), "svc.yaml")).then(
    () => true,
    () => false,
  );
const apps = async () =>
  ((await platform.api("GET", "/api/apps")).body as { apps: { name: string }[] }).apps.map(({ name }) => name);
const onTerminal = (...argv: string[]) =>
  openSvcTerminal(user, argv, { SVC_URL: platform.baseUrl, SVC_API_KEY: platform.key }, path());

test("on a terminal it asks for the app's name, proposes the folder's, and writes it down for the next commands", async () => {
  const terminal = onTerminal("up");
  await terminal.sees(`Name of the new app, or of one of yours [my-site-${count}]:`);
  terminal.type("\r");
  expect(await terminal.ended).toBe(0);
  expect(await apps()).toContain(`my-site-${count}`);
  const { stdout } = await user.svc(["status", "--dir", folder]);
  expect(stdout).toContain(`my-site-${count}: running, v1`);
});

test("a name that is typed counts, and one that can't be an app's is refused before anything is written", async () => {
  const wrong = onTerminal("up", "--detach");
  await wrong.sees("Name of the new app");
  wrong.type("No Such_Name\r");
  expect(await wrong.ended).toBe(2);
  expect(wrong.screen()).toContain("No Such_Name");
  expect(await hasSpecFile()).toBe(false);

  const typed = onTerminal("up", "--detach");
  await typed.sees("Name of the new app");
  typed.type("typed\r");
  expect(await typed.ended).toBe(0);
  expect(await apps()).toContain("typed");
});

test("without a terminal --app names it, and nothing is written into the folder", async () => {
  const unnamed = await user.svc(["up", "--dir", folder]);
  expect(unnamed.status).toBe(2);
  expect(unnamed.stderr).toContain(`--app my-site-${count}`);
  expect((await user.svc(["up", "--dir", folder, "--app", "Not_One"])).status).toBe(2);
  expect(await user.svc(["up", "--dir", folder, "--app", "given", "--detach"])).toMatchObject({ status: 0 });
  expect(await apps()).toContain("given");
  expect(await hasSpecFile()).toBe(false);
});
