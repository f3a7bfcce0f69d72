import { readDeploy } from "@svc/control-plane/deploys/deploys.store.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DeployingApi, type DeployedApp } from "../../support/api/deploying-api.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";

let http: TestApi;
let setup: DeployingApi;
let app: DeployedApp;

beforeAll(async () => {
  http = await startTestApi();
  setup = await DeployingApi.start(http);
  app = await setup.addApp({ GREETING: "hello", LEVEL: "info" });
});
afterAll(async () => {
  await setup?.stopWorker();
  await http?.stop();
});

const changes = (query = "") => app.caller.call("GET", `/api/apps/${app.name}/changes${query}`);
const put = (env: object) => app.caller.call("PUT", `/api/apps/${app.name}/env`, { env });
const WHEN = expect.stringMatching(/Z$/) as string;
const NOTHING = { added: [], removed: [], changed: [] };

test("before anything was deployed, the next deploy brings all variables", async () => {
  expect(await changes()).toMatchObject({
    status: 200,
    json: { from: null, to: null, env: { added: ["GREETING", "LEVEL"], removed: [], changed: [] } },
  });
});

test("after a deploy nothing differs, and what is written since does, by its name alone", async () => {
  await app.deploy("a");
  expect((await changes()).json).toMatchObject({ from: { release: "v1" }, to: null, env: NOTHING });
  await put({ GREETING: "hallo-secret", NEW: "x" });
  await app.caller.call("DELETE", `/api/apps/${app.name}/env/LEVEL`);
  const { json } = await changes();
  expect(json).toMatchObject({ env: { added: ["NEW"], removed: ["LEVEL"], changed: ["GREETING"] } });
  expect(JSON.stringify(json)).not.toContain("hallo-secret");
});

test("a deploy tells who asked for it, in the list and by itself", async () => {
  const list = await app.caller.call("GET", `/api/apps/${app.name}/deploys`);
  const [deploy] = list.json["deploys"] as { id: string; deployed_by: string }[];
  expect(deploy!.deployed_by).toMatch(/^[^@\s]+@[^@\s]+$/);
  const { json } = await app.caller.call("GET", `/api/deploys/${deploy!.id}`);
  expect(json["deploy"]).toMatchObject({ deployed_by: deploy!.deployed_by });
  // Nobody learns the address of a person who is in the team no more.
  const leave = "delete from team_members where team_id = $1 and user_id = $1 returning user_id, role";
  const { rows } = await http.database.query(leave, [app.caller.userId]);
  expect(await readDeploy(http.parts.db, [app.caller.userId], deploy!.id)).toMatchObject({ deployed_by: null });
  const comeBack = "insert into team_members (team_id, user_id, role) values ($1, $1, $2)";
  await http.database.query(comeBack, [app.caller.userId, rows[0]!["role"]]);
});

test("a variable that differed before and is written again shows by the time alone", async () => {
  const before = (await changes()).json;
  await put({ GREETING: "hola" });
  const { json } = await changes();
  const [was, is] = [before, json].map(({ env }) => env as { changed: string[]; written_at: string });
  expect(is!.changed).toEqual(was!.changed);
  expect(Date.parse(is!.written_at)).toBeGreaterThan(Date.parse(was!.written_at));
});

test("two releases are compared by commit, image and variables", async () => {
  await app.deploy("b");
  const { json } = await changes("?from=v1&to=v2");
  expect(json).toMatchObject({
    from: { release: "v1", commit_sha: "a".repeat(40), image_digest: `sha256:${"a".repeat(64)}`, port: 3000 },
    to: {
      release: "v2",
      commit_sha: "b".repeat(40),
      framework: "express",
      deployed_by: expect.stringContaining("@"),
      deployed_at: expect.stringMatching(/Z$/),
    },
    env: { added: ["NEW"], removed: ["LEVEL"], changed: ["GREETING"] },
  });
  expect((await changes("?from=v2&to=v1")).json).toMatchObject({ env: { added: ["LEVEL"], removed: ["NEW"] } });
  expect((await changes("?to=v2")).json).toMatchObject({ from: { release: "v2" }, env: NOTHING });
});

test("a sealed variable that was written since counts as changed, whatever its value: nobody can try what it is", async () => {
  const sealing = await setup.addApp({ PIN: "4711", OPEN: "a" });
  const of = (path: string) => `/api/apps/${sealing.name}/${path}`;
  await sealing.caller.call("PUT", of("env"), { env: {}, sealed: ["PIN"] });
  await sealing.deploy("d");
  const brought = async () => (await sealing.caller.call("GET", of("changes"))).json["env"];
  expect(await brought()).toEqual({ ...NOTHING, written_at: WHEN });
  for (const PIN of ["4710", "4711"]) {
    await sealing.caller.call("PUT", of("env"), { env: { PIN, OPEN: "a" } });
    expect(await brought()).toEqual({ ...NOTHING, changed: ["PIN"], written_at: WHEN });
    await sealing.caller.call("DELETE", of("env/PIN"));
    await sealing.caller.call("PUT", of("env"), { env: { PIN } });
    expect(await brought(), "made again, and open").toEqual({ ...NOTHING, changed: ["PIN"], written_at: WHEN });
  }
  await sealing.deploy("e");
  const { json } = await sealing.caller.call("GET", of("changes?from=v1&to=v2"));
  expect(json).toMatchObject({ env: { ...NOTHING, changed: ["PIN"] } });
});

test("a variable that is sealed after a deploy, and not written again, is no change", async () => {
  const sealing = await setup.addApp({ TOKEN: "s3cret" });
  const path = `/api/apps/${sealing.name}`;
  await sealing.deploy("a");
  await sealing.caller.call("PUT", `${path}/env`, { env: {}, sealed: ["TOKEN"] });
  expect((await sealing.caller.call("GET", `${path}/changes`)).json).toMatchObject({ env: NOTHING });
  await sealing.deploy("b");
  expect((await sealing.caller.call("GET", `${path}/changes?from=v1&to=v2`)).json).toMatchObject({ env: NOTHING });
});

test("a variable that holds the database's address and is deleted is a change", async () => {
  const copying = await setup.addApp({});
  await http.database.query("update apps set needs_database = true where id = $1", [copying.id]);
  await copying.deploy("e");
  const PG_URL = setup.lastContainer().env.find(({ key }) => key === "DATABASE_URL")?.value;
  await copying.caller.call("PUT", `/api/apps/${copying.name}/env`, { env: { PG_URL } });
  await copying.deploy("f");
  await copying.caller.call("DELETE", `/api/apps/${copying.name}/env/PG_URL`);
  const { json } = await copying.caller.call("GET", `/api/apps/${copying.name}/changes`);
  expect(json).toMatchObject({ env: { ...NOTHING, removed: ["PG_URL"] } });
});

test("the variables of the app's own database are no change", async () => {
  const withDatabase = await setup.addApp({ A: "1" });
  await http.database.query("update apps set needs_database = true where id = $1", [withDatabase.id]);
  await withDatabase.deploy("c");
  const { json } = await withDatabase.caller.call("GET", `/api/apps/${withDatabase.name}/changes`);
  expect(json).toMatchObject({ env: NOTHING });
});

test("a release that is not there is named", async () => {
  expect(await changes("?from=v9")).toMatchObject({ status: 404, json: { detail: expect.stringContaining('"v9"') } });
  expect(await changes("?to=live")).toMatchObject({ status: 404, json: { error: "not_found" } });
});

test.each(["", "%00", "rollback:x", "%20v1", "a".repeat(129)])(
  "what can't be a release's name is refused: %j",
  async (name) => {
    expect(await changes(`?from=${name}`)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(await changes(`?to=${name}`)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  },
);
