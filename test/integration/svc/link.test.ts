import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SvcOutcome } from "../../support/svc/svc.ts";
import { openSvcTerminal } from "../../support/svc/svc-terminal.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

let world: SvcWorld;
let folder: string;
let count = 0;

beforeAll(async () => {
  world = await startSvcWorld();
  for (const name of ["first", "second"]) {
    await world.caller.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}` });
  }
});
afterAll(() => world?.stop());
beforeEach(async () => {
  folder = `folder-${(count += 1)}`;
  await world.user.write({ [`${folder}/index.html`]: "" });
});

const svc = (...argv: string[]): Promise<SvcOutcome> => world.user.svc([...argv, "--dir", folder]);
const path = (): string => join(world.user.folder, folder);
const linksFile = (): string => join(world.user.home, ".config/svc/links.json");

test("link remembers an app for the folder's commands without writing into the folder, and unlink forgets it", async () => {
  const none = await svc("status");
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining("have `svc link` remember it")]);
  const linked = await svc("link", "first");
  expect([linked.status, linked.stderr]).toEqual([0, ""]);
  expect((await svc("status")).stdout).toContain("first: never deployed");
  expect(await readdir(path())).toEqual(["index.html"]);
  expect((await svc("link", "second", "--json")).events).toEqual([{ dir: path(), app: "second" }]);
  expect((await svc("status")).stdout).toContain("second: never deployed");
  expect((await svc("unlink")).status).toBe(0);
  expect((await svc("status")).status).toBe(2);
  expect((await svc("unlink")).stderr).toContain("linked to no app");
});

test("--app and a spec file go before the link, which says so", async () => {
  await svc("link", "first");
  expect((await svc("status", "--app", "second")).stdout).toContain("second: never deployed");
  await world.user.write({ [`${folder}/svc.yaml`]: "# spec: svc/v1\nname: second\n" });
  expect((await svc("status")).stdout).toContain("second: never deployed");
  expect((await svc("link", "first")).stderr).toContain("svc.yaml names second, which counts");
});

test("an app that one does not have is not linked, and without a terminal the name must be given", async () => {
  const unknown = await svc("link", "none");
  expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining("You have no app none")]);
  const unnamed = await svc("link");
  expect([unnamed.status, unnamed.stderr]).toEqual([2, expect.stringContaining("Your apps: first, second.")]);
  expect((await svc("status")).status).toBe(2);
});

test("on a terminal link asks, and takes a number of the list or a name", async () => {
  for (const [typed, app] of [
    ["2", "second"],
    ["first", "first"],
  ] as const) {
    const env = { SVC_URL: world.url, SVC_API_KEY: world.caller.key };
    const terminal = openSvcTerminal(world.user, ["link"], env, path());
    await terminal.sees("App of this folder (number or name):");
    expect(terminal.screen()).toMatch(/1 {2}first\s+2 {2}second/);
    terminal.type(`${typed}\r`);
    expect(await terminal.ended).toBe(0);
    expect((await svc("status")).stdout).toContain(`${app}: never deployed`);
  }
});

test("up of a linked folder without a spec file deploys the linked app, and asks nothing", async () => {
  await svc("link", "second");
  const outcome = await svc("up", "--detach", "--local", "--json");
  expect(outcome.events[0]).toMatchObject({ type: "spec", file: "svc link", name: "second" });
});

test("a file of links that svc did not write is told with its path", async () => {
  const before = await readFile(linksFile(), "utf8");
  await writeFile(linksFile(), "[]");
  const outcome = await svc("status");
  expect([outcome.status, outcome.stderr]).toEqual([
    1,
    expect.stringContaining(`${linksFile()} is not what svc wrote`),
  ]);
  await writeFile(linksFile(), before);
});
