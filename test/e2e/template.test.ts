import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/tools/eventually.ts";
import { makeGitClient, type GitClient } from "../support/git/git-client.ts";
import { startPlatform, type Platform } from "../support/platform/platform.ts";

let platform: Platform;
let client: GitClient;

beforeAll(async () => {
  // Nothing is allowed beyond the defaults: the platform reaches its own git host by itself.
  platform = await startPlatform();
  client = await makeGitClient();
});
afterAll(async () => {
  await client?.remove();
  await platform?.stop();
});

interface Deploys {
  deploys: { id: string; status: string; commit_sha: string | null }[];
}

/** A cold build of the slowest takes a minute on two cores of its own. */
const BUILD_MS_MAX = 300_000;

const JSON_TIME = /"time":"([^"]+)"/;

/**
 * The path that each is asked for, and the text that the answer holds: the release, and a time at which the app ran or
 * was built.
 */
const BUILT_TEMPLATES = [
  { template: "nextjs", path: "/api/time", release: '"release":"v1"', time: JSON_TIME },
  { template: "astro-site", path: "/", release: "<h1>My site</h1>", time: /Built at ([^<]+Z)\./ },
  { template: "fastapi", path: "/", release: '"release":"v1"', time: JSON_TIME },
  { template: "go-http", path: "/", release: '"release":"v1"', time: JSON_TIME },
];

async function create(name: string, template: string): Promise<string> {
  const { status, body } = await platform.api("POST", "/api/apps", { name, template });
  expect(status).toBe(201);
  return (body as { app: { git_repo: string } }).app.git_repo;
}

async function deploysOf(name: string): Promise<Deploys["deploys"]> {
  return ((await platform.api("GET", `/api/apps/${name}/deploys`)).body as Deploys).deploys;
}

describe("an app from a template", () => {
  it("deploys as it is, and a pushed change is deployed by itself, once", async () => {
    const url = await create("site", "static-site");
    const first = await platform.deploy("site");
    expect(first.deploy).toMatchObject({ status: "success" });
    expect((await platform.fetchApp("site")).body).toContain("<h1>My site</h1>");

    expect(await client.clone(url, "site", platform.key)).toMatchObject({ ok: true });
    const quiet = await client.commit("site", { "quiet.html": "not deployed by itself" });
    expect(await client.git("site", platform.key, "push")).toMatchObject({ ok: true });
    expect(await deploysOf("site")).toHaveLength(1);

    const patched = await platform.api("PATCH", "/api/apps/site", { deploy_on_push: true });
    expect(patched).toMatchObject({ status: 200, body: { app: { deploy_on_push: true } } });
    const page = await readFile(join(client.directory, "site", "index.html"), "utf8");
    const sha = await client.commit("site", { "index.html": page.replace("My site</h1>", "Pushed</h1>") });
    expect(sha).not.toBe(quiet);
    expect(await client.git("site", platform.key, "push")).toMatchObject({ ok: true });
    const deploys = await eventually(
      () => deploysOf("site"),
      ([newest]) => newest?.commit_sha === sha && newest.status === "success",
      { what: "the push is deployed", deadlineMs: 60_000 },
    );
    expect(deploys).toHaveLength(2);
    expect((await platform.fetchApp("site")).body).toContain("<h1>Pushed</h1>");
  });

  it("deploys the newest of the pushes that come while a deploy runs, and none twice", async () => {
    const before = (await deploysOf("site")).length;
    const shas: string[] = [];
    for (const word of ["one", "two", "three"]) {
      shas.push(await client.commit("site", { "word.html": word }));
      expect(await client.git("site", platform.key, "push")).toMatchObject({ ok: true });
    }
    const deploys = await eventually(
      () => deploysOf("site"),
      ([newest]) => newest?.commit_sha === shas.at(-1) && newest?.status === "success",
      { what: "the newest push is deployed", deadlineMs: 90_000 },
    );
    expect((await platform.fetchApp("site", "/word.html")).body).toBe("three");
    const built = deploys.slice(0, deploys.length - before).map(({ commit_sha }) => commit_sha);
    expect(new Set(built).size).toBe(built.length);
  });

  it("has its database, migrated, when the template needs one", async () => {
    await create("notes", "express-postgres");
    const { deploy, steps } = await platform.deploy("notes");
    expect(deploy.error).toBeUndefined();
    expect(steps[0]).toMatchObject({ step_name: "provision_db", status: "success" });
    expect(JSON.parse((await platform.fetchApp("notes", "/health")).body)).toEqual({ status: "ok" });
    expect(JSON.parse((await platform.fetchApp("notes", "/api/notes")).body)).toEqual({ notes: [] });
    expect((await platform.fetchApp("notes")).body).toContain("<h1>Notes</h1>");
  });

  it.each(BUILT_TEMPLATES)(
    "$template deploys as it is, and answers with what only its running code or its build knows",
    { timeout: BUILD_MS_MAX },
    async ({ template, path, release, time }) => {
      const startedAt = Date.now();
      await create(`my-${template}`, template);
      const { deploy } = await platform.deploy(`my-${template}`, {}, BUILD_MS_MAX);
      expect(deploy.error).toBeUndefined();
      const { status, body } = await platform.fetchApp(`my-${template}`, path);
      expect({ status, body }).toMatchObject({ status: 200, body: expect.stringContaining(release) });
      const [, said = ""] = time.exec(body) ?? [];
      // Go's has no fractions of a second.
      expect(Date.parse(said)).toBeGreaterThan(startedAt - 1000);
      expect(Date.parse(said)).toBeLessThanOrEqual(Date.now());
    },
  );

  it("leaves no token of the platform in outputs or logs", async () => {
    const { rows } = await platform.database.query("select payload::text from deploy_events");
    const logs = await Promise.all(
      [platform.controlPlane.log, platform.agent.log].map((path) => readFile(path, "utf8")),
    );
    expect(JSON.stringify([rows, logs])).not.toMatch(/svcgit_|Basic [A-Za-z0-9+/]{8}/);
  });
});
