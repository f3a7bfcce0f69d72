import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parseDeploySpec } from "@svc/shared/spec/deploy-spec.ts";
import { fixtureFolder, FRAMEWORK_FIXTURES } from "../../support/platform/framework-fixtures.ts";
import { makeSvcUser, type SvcUser } from "../../support/svc/svc.ts";

let user: SvcUser;

/** Removes what Node.js 20, the oldest that the package runs on, does not have. */
const AS_NODE_20 = `--import=data:text/javascript,${encodeURIComponent(`
  for (const [owner, names] of [
    [Map, ["groupBy"]], [Object, ["groupBy"]], [URL, ["parse"]], [Array, ["fromAsync"]], [RegExp, ["escape"]],
    [Promise, ["withResolvers", "try"]], [Error, ["isError"]], [Math, ["f16round"]],
    [Set.prototype, ["union", "difference", "intersection", "isSubsetOf", "isSupersetOf", "isDisjointFrom"]],
    [Object.getPrototypeOf(Object.getPrototypeOf([].values())), ["map", "filter", "take", "drop", "toArray", "some", "every", "find", "flatMap", "reduce", "forEach"]],
  ]) for (const name of names) delete owner[name];
  delete globalThis.Iterator;`)}`;

beforeAll(async () => {
  user = await makeSvcUser({ NODE_OPTIONS: AS_NODE_20 });
});
afterAll(() => user?.remove());
beforeEach(() =>
  user.write({ "package.json": '{"dependencies": {"express": "5"}, "scripts": {"start": "node app.js"}}' }),
);

test("plan says framework, reason, port, start and Dockerfile, without account and network", async () => {
  const outcome = await user.svc(["plan"], {
    env: { SVC_URL: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" },
  });
  expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
  expect(outcome.stdout).toMatch(
    /^Framework {2}express: `express` in dependencies\nPort {7}3000\nStart {6}node app\.js\n/,
  );
  expect(outcome.stdout).toContain("FROM node:");
});

test.each(FRAMEWORK_FIXTURES)("plan names the framework of the fixture $fixture", async ({ fixture, framework }) => {
  const { status, events } = await user.svc(["plan", fixtureFolder(fixture), "--json"]);
  expect([status, events]).toEqual([0, [expect.objectContaining({ framework: framework ?? fixture })]]);
});

test("plan obeys the spec file of the folder that it is given", async () => {
  await user.write({
    "other/svc.json": '{"spec": "svc/v1", "name": "other", "framework": "static", "port": 8080}',
    "other/index.html": "hello",
    "other/package.json": '{"dependencies": {"express": "5"}}',
  });
  const { events } = await user.svc(["plan", "other", "--json"]);
  expect(events).toMatchObject([{ framework: "static", port: 8080, spec_file: "svc.json" }]);
});

test("plan shows a start of the spec file, and the repository's own Dockerfile", async () => {
  await user.write({ "own/Dockerfile": 'FROM x\nEXPOSE 81\nENTRYPOINT ["/app", "serve it"]\n' });
  const own = await user.svc(["plan", "own", "--json"]);
  expect(own.events).toMatchObject([
    { framework: "dockerfile", port: 81, start: '/app "serve it"', dockerfile: { path: "Dockerfile" } },
  ]);
  await user.write({
    "started/svc.yaml": "# spec: svc/v1\nname: s\nstart: NODE_ENV=x node a.js\n",
    "started/package.json": '{"scripts": {"start": "y"}}',
  });
  const started = await user.svc(["plan", "started", "--json"]);
  expect(String(started.events[0]?.["start"])).toContain("NODE_ENV=x");
});

test("plan looks at the folder that --root or the spec file names", async () => {
  await user.write({
    "mono/svc.yaml": "# spec: svc/v2\nname: mono\nroot: apps/web\n",
    "mono/apps/web/index.html": "x",
    "mono/apps/api/Dockerfile": "FROM x\nEXPOSE 81\n",
    "mono/apps/api/svc.yaml": "# spec: svc/v1\nname: api\n",
  });
  const named = await user.svc(["plan", "mono", "--json"]);
  expect(named.events).toMatchObject([{ root: "apps/web", framework: "static", spec_file: "svc.yaml" }]);
  const given = await user.svc(["plan", "mono", "--root", "./apps/api/", "--json"]);
  expect(given.events).toMatchObject([
    { root: "apps/api", framework: "dockerfile", port: 81, spec_file: "apps/api/svc.yaml" },
  ]);
  expect((await user.svc(["plan", "mono", "--root", "apps/api"])).stdout).toContain("FROM x");
  for (const root of ["../mono", "gone"]) {
    const { status, stderr } = await user.svc(["plan", "mono", "--root", root]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`"${root}"`)]);
  }
});

test("a folder that can't be recognised ends with 2 and what was looked for", async () => {
  await user.write({ "empty/notes.txt": "nothing" });
  const outcome = await user.svc(["plan", "empty"]);
  expect([outcome.status, outcome.stdout]).toEqual([2, ""]);
  expect(outcome.stderr).toContain("notes.txt. Add a Dockerfile");
  expect(outcome.stderr).toContain("Looked for at the root:\n  dockerfile: a file named Dockerfile\n");
});

test("init writes a spec file that is read without a mistake, once", async () => {
  await user.write({ "My App_2/.env.example": "API_TOKEN=\nPORT=1\n", "My App_2/index.html": "x" });
  const dir = "My App_2";
  const outcome = await user.svc(["init", "--dir", dir, "--json"]);
  expect(outcome.events).toEqual([
    { file: "svc.yaml", name: "my-app-2", framework: "static", reason: expect.any(String) as string },
  ]);
  const text = await readFile(join(user.folder, dir, "svc.yaml"), "utf8");
  expect(parseDeploySpec("svc.yaml", text)).toMatchObject({ name: "my-app-2", env: ["API_TOKEN"] });
  // With every comment that begins a line of the file taken as its text, it is a spec too.
  const filled = text.replaceAll(/^# (?=(?:framework|build|start|port|services|resources):|  )/gm, "");
  expect(parseDeploySpec("svc.yaml", filled)).toMatchObject({
    framework: "static",
    services: { db: { version: "16" } },
  });
  const again = await user.svc(["init", "--dir", dir]);
  expect(again.status).toBe(2);
  expect(await readFile(join(user.folder, dir, "svc.yaml"), "utf8")).toBe(text);
});

test("init says of a folder that it does not recognise what is missing before `svc up`", async () => {
  await user.write({ "notes/README.md": "x" });
  const { status, stdout, stderr } = await user.svc(["init", "--dir", "notes"]);
  expect(status).toBe(0);
  expect(stderr).toMatch(/^Note: The repository can't be recognised: .*README\.md\. Add a Dockerfile/);
  expect(stdout).toMatch(/can't be deployed yet: do what the note says, then `svc up`\.\n$/);
  expect(parseDeploySpec("svc.yaml", await readFile(join(user.folder, "notes/svc.yaml"), "utf8")).name).toBe("notes");
});

test.each(["123", "true", "0x1f", "1e3", "no", "null"])("a folder named %s gives an app of that name", async (name) => {
  await user.write({ [`${name}/index.html`]: "x" });
  expect((await user.svc(["init", "--dir", name])).status).toBe(0);
  const text = await readFile(join(user.folder, name, "svc.yaml"), "utf8");
  expect(parseDeploySpec("svc.yaml", text).name).toBe(name);
});

test("a mistake in the spec file has its place on Node.js 20 too", async () => {
  await user.write({ "bad/svc.yaml": "# spec: svc/v1\nname: x\nport: 0\n" });
  const outcome = await user.svc(["plan", "bad"]);
  expect([outcome.status, outcome.stderr.split(" ")[0]]).toEqual([2, "svc.yaml:3:7:"]);
});
