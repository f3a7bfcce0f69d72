import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadTemplates } from "@svc/control-plane/apps/templates/load-templates.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { keepLogged } from "../../support/tools/logged.ts";
import { promise } from "../../support/promises/promise.ts";

let http: TestApi;
let ada: Caller;
const { log, logged } = keepLogged();

beforeAll(async () => {
  http = await startTestApi({ log });
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

const create = (fields: object, headers: Record<string, string> = {}) =>
  ada.call("POST", "/api/apps", { template: "static-site", ...fields }, headers);

async function folders(): Promise<string[]> {
  return readdir(http.hosting.folders.root);
}

test("templates are listed by slug with what their manifests say", async () => {
  promise("templates", "templates are listed by slug");
  const { status, json } = await ada.call("GET", "/api/templates");
  expect(status).toBe(200);
  expect(json["templates"]).toEqual([
    expect.objectContaining({ slug: "astro-site", framework: "astro", port: 3000, needs_database: false }),
    expect.objectContaining({ slug: "express-postgres", framework: "express", port: 3000, needs_database: true }),
    expect.objectContaining({ slug: "fastapi", framework: "fastapi", port: 8000, needs_database: false }),
    expect.objectContaining({ slug: "go-http", framework: "go", port: 8080, needs_database: false }),
    expect.objectContaining({ slug: "nextjs", framework: "nextjs", port: 3000, needs_database: false }),
    expect.objectContaining({ slug: "static-site", framework: "static", port: 3000, needs_database: false }),
  ]);
});

test("an app from a template has a private repository with the template's files but the manifest", async () => {
  promise(
    "templates",
    "an app from a template has a private repository of its owner's, with the template's files",
    "a template says framework, port and whether a database is needed",
  );
  const { status, json } = await create({ name: "from-template", template: "express-postgres" });
  expect(status).toBe(201);
  expect(json["app"]).toMatchObject({
    framework: "express",
    port: 3000,
    needs_database: true,
    git_repo: `http://127.0.0.1/git/${ada.userId}/from-template.git`,
  });
  const { rows } = await http.database.query("select id, head_sha from repositories where name = 'from-template'");
  const [repository] = rows;
  expect(await http.hosting.folders.headOf(String(repository?.["id"]))).toBe(repository?.["head_sha"]);
});

test.each([
  [{ repo_url: "https://git.example.test/a/b.git" }, "invalid_request", "not both"],
  [{ framework: "express" }, "invalid_request", "framework"],
  [{ port: 3000 }, "invalid_request", "port"],
  [{ needs_database: false }, "invalid_request", "needs_database"],
  [{ template: "no-such" }, "template_unknown", "static-site"],
])("%j with a template is refused with 400", async (fields, code, word) => {
  promise("templates", "beside a template, no framework, port or database may be asked for");
  const { status, json } = await create({ name: "refused", ...fields });
  expect([status, json["error"]]).toEqual([400, code]);
  expect(json["detail"]).toContain(word);
});

test("neither repository nor template is refused with 400", async () => {
  const { status, json } = await ada.call("POST", "/api/apps", { name: "neither" });
  expect([status, json["error"]]).toEqual([400, "invalid_request"]);
});

test("a template that can't be copied gives 502, leaves nothing, and a retry with the same key works", async () => {
  promise("templates", "a template that can't be copied is answered with 502, and leaves no app");
  const before = await folders();
  const template = http.parts.templates.find(({ slug }) => slug === "static-site")!;
  const { folder } = template;
  template.folder = "/nonexistent";
  const failed = await create({ name: "retried" }, { "Idempotency-Key": "template" });
  template.folder = folder;
  expect([failed.status, failed.json["error"]]).toEqual([502, "template_provisioning_failed"]);
  // The client is told to look there.
  const { fields } = logged.find(({ fields: each }) => (each as { status?: number }).status === 502)!;
  expect((fields as { err: Error }).err.cause).toMatchObject({ message: expect.stringContaining("/nonexistent") });
  expect(await folders()).toEqual(before);
  const again = await create({ name: "retried" }, { "Idempotency-Key": "template" });
  expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
});

test("a retry with the same key makes one repository", async () => {
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => create({ name: "once" }, { "Idempotency-Key": "once" })),
  );
  expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  const { rows } = await http.database.query("select id from repositories where name = 'once'");
  expect(rows).toHaveLength(1);
});

const GOOD =
  "slug: mine\ntitle: Mine\ndescription: A template.\nframework: static\nport: 3000\nneeds_database: false\n";

test.each([
  ["an unknown property", `${GOOD}extra: 1\n`, /extra/],
  ["a missing property", GOOD.replace(/title.*\n/, ""), /title/],
  ["another slug than its folder", GOOD.replace("slug: mine", "slug: yours"), /folder's name/],
  ["an unknown framework", GOOD.replace("static", "cobol"), /cobol/],
  ["a port out of range", GOOD.replace("3000", "70000"), /port/],
  ["no YAML", "slug: [", /YAML/],
])("a manifest with %s ends the start with a sentence", async (_what, manifest, sentence) => {
  const directory = await mkdtemp(join(tmpdir(), "svc-templates-"));
  try {
    await mkdir(join(directory, "mine"));
    await writeFile(join(directory, "mine", "svc-template.yaml"), GOOD);
    expect(await loadTemplates(directory)).toEqual([expect.objectContaining({ slug: "mine", needsDatabase: false })]);
    await writeFile(join(directory, "mine", "svc-template.yaml"), manifest);
    await expect(loadTemplates(directory)).rejects.toThrow(sentence);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a purged app's repository goes with it, its folder with the next sweep", async () => {
  expect((await create({ name: "purged" })).status).toBe(201);
  const purge = await ada.call("DELETE", "/api/apps/purged?purge=1");
  expect(purge.status).toBe(204);
  const { rows } = await http.database.query("select id from repositories where name = 'purged'");
  expect(rows).toEqual([]);
  expect((await create({ name: "purged" })).status).toBe(201);
});
