import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type Caller, type Reply, type TestApi } from "../../support/api/http.ts";
import { addOperator } from "../../support/people/operator.ts";
import type { Browser } from "../../support/people/person.ts";

/** Pools, labels and addresses of servers, and what apps may ask for. */
let http: TestApi;
let operator: Browser;
let ada: Caller;
let operators = 0;

beforeAll(async () => {
  http = await startTestApi();
});
beforeEach(async () => {
  await http.database.query("delete from deploys");
  await http.database.query("delete from apps");
  await http.database.query("update servers set state = 'removed'");
  operator = await addOperator(http, `pools${++operators}@example.test`);
  ada = await http.addCaller({ tier: "team" });
});
afterAll(() => http?.stop());

const rows = async (sql: string, ...values: unknown[]) => (await http.database.query(sql, values)).rows;
const brief = ({ status, json }: Reply): unknown[] => [status, json["error"]];
const set = (name: string, body: object) => operator.send("PATCH", `/api/servers/${name}`, JSON.stringify(body), {});
const give = (team: string, pools: string[]) =>
  operator.send("PUT", `/api/operator/teams/${team}/pools`, JSON.stringify({ pools }), {});
const create = (name: string, place: object, by = ada) =>
  by.call("POST", "/api/apps", { name, repo_url: `https://github.com/you/${name}`, ...place });
const INVALID = [400, "invalid_request"];

test("an operator sets pool, labels and address of a server, with one entry for each change", async () => {
  const id = await http.addServer("berlin");
  const first = await set("berlin", { pool: "gpu", labels: ["zone=eu-1", "ssd", "ssd"], address: "192.0.2.7:8443" });
  expect([first.status, first.json["server"]]).toEqual([
    200,
    expect.objectContaining({ pool: "gpu", labels: ["ssd", "zone=eu-1"], address: "192.0.2.7:8443" }),
  ]);
  expect((await set("berlin", { pool: "gpu", labels: ["ssd", "zone=eu-1"] })).status).toBe(200);
  expect((await set("berlin", { address: null })).json["server"]).toMatchObject({ pool: "gpu", address: null });
  const entries = await rows(
    "select action, owner_id, detail from audit_log where target = $1 order by id",
    `server:${id}`,
  );
  expect(entries).toEqual([
    {
      action: "server.set",
      owner_id: null,
      detail: { name: "berlin", pool: "gpu", labels: ["ssd", "zone=eu-1"], address: "192.0.2.7:8443" },
    },
    expect.objectContaining({ detail: expect.objectContaining({ address: null }) }),
  ]);
});

test.for([
  {},
  { pool: "" },
  { pool: "Not A Pool" },
  { pool: null },
  { labels: ["a b"] },
  { labels: "ssd" },
  { labels: Array.from({ length: 21 }, (_, i) => `l${i}`) },
  { address: "" },
  { address: "http://192.0.2.7" },
  { address: "192.0.2.7:0" },
  { address: "192.0.2.7:70000" },
  { colour: "red" },
])("a server is not set to %j", async (body) => {
  await http.addServer("berlin");
  expect(brief(await set("berlin", body))).toEqual(INVALID);
  expect(await rows("select pool, labels, address from servers where state = 'active'")).toEqual([
    { pool: "default", labels: [], address: null },
  ]);
});

test("an app lives in the pool and on a server with the label that it asks for", async () => {
  for (const name of ["plain", "gpu-hdd", "gpu-ssd"]) await http.addServer(name);
  await set("gpu-hdd", { pool: "gpu" });
  await set("gpu-ssd", { pool: "gpu", labels: ["ssd"] });
  expect((await give(ada.userId, ["gpu"])).json["team"]).toMatchObject({ pools: ["gpu"] });
  const wishes = {
    "takes-plain": {},
    "takes-default": { pool: "default" },
    "takes-ssd": { pool: "gpu", label: "ssd" },
  };
  const seen: Record<string, unknown> = {};
  for (const [name, wish] of Object.entries(wishes)) {
    expect((await create(name, wish)).status).toBe(201);
    await ada.call("POST", `/api/apps/${name}/deploy`);
    const { server, pool, label } = (await ada.call("GET", `/api/apps/${name}`)).json["app"] as Record<string, unknown>;
    seen[name] = [server, pool, label];
  }
  expect(seen).toEqual({
    "takes-plain": ["plain", null, null],
    "takes-default": ["plain", null, null],
    "takes-ssd": ["gpu-ssd", "gpu", "ssd"],
  });
});

test("an app may name its server in a pool that its team was given, and lives there from the start", async () => {
  await http.addServer("one");
  await http.addServer("two");
  await give(ada.userId, ["default"]);
  const { status, json } = await create("pinned", { server: "two" });
  expect([status, json["app"]]).toEqual([201, expect.objectContaining({ server: "two" })]);
  await ada.call("POST", "/api/apps/pinned/deploy");
  expect((await ada.call("GET", "/api/apps/pinned")).json["app"]).toMatchObject({ server: "two" });
  const [entry] = await rows("select detail from audit_log where action = 'app.create' and owner_id = $1", ada.userId);
  expect(entry).toEqual({ detail: { name: "pinned", server: "two" } });
});

test("a pool or a server that the team does not have is refused as one that is not there", async () => {
  await http.addServer("one");
  await http.addServer("two");
  await set("two", { pool: "gpu" });
  const replies = {
    pool: [await create("a", { pool: "gpu" }), await create("a", { pool: "not" })],
    ofPool: [await create("a", { server: "two" }), await create("a", { server: "not" })],
    ofDefault: [await create("a", { server: "one" }), await create("a", { server: "six" })],
  };
  for (const [theirs, none] of Object.values(replies)) {
    expect([brief(theirs!), brief(none!)]).toEqual([INVALID, INVALID]);
    const words = ({ json }: Reply) => String(json["detail"]).replace(/"\w+"/, "");
    expect(words(theirs!)).toBe(words(none!));
  }
  await give(ada.userId, ["gpu"]);
  expect((await create("a", { pool: "gpu" })).status).toBe(201);
  expect((await create("b", { server: "two" })).status).toBe(201);
  expect(brief(await create("c", { server: "one" }))).toEqual(INVALID);
  const eve = await http.addCaller({ tier: "team" });
  expect(brief(await create("d", { pool: "gpu" }, eve))).toEqual(INVALID);
});

test.for([
  { pool: "Not A Pool" },
  { pool: "" },
  { pool: 7 },
  { label: "a b" },
  { label: "nobody-has-it" },
  { server: "Not A Server" },
  { server: "" },
  { server: "rests" },
  { server: "joins" },
  { server: "one", pool: "default" },
  { server: "one", label: "ssd" },
])("an app is not created for the place %j", async (place) => {
  await http.addServer("one");
  await set("one", { labels: ["ssd"] });
  await http.addServer("rests", { state: "draining" });
  await http.addServer("joins", { state: "joining" });
  await give(ada.userId, ["default"]);
  expect(brief(await create("misplaced", place))).toEqual(INVALID);
  expect(await rows("select 1 from apps")).toEqual([]);
});

test("a team is given pools with an entry for its owners and one for operators, once", async () => {
  for (let i = 0; i < 2; i++) {
    expect((await give(ada.userId, ["gpu", "eu", "gpu"])).json["team"]).toMatchObject({ pools: ["eu", "gpu"] });
  }
  const entries = await rows(
    "select owner_id, detail -> 'pools' as pools from audit_log where action = 'team.pools' and target = $1 order by id",
    `team:${ada.userId}`,
  );
  expect(entries).toEqual([
    { owner_id: null, pools: ["eu", "gpu"] },
    { owner_id: ada.userId, pools: ["eu", "gpu"] },
  ]);
  for (const pools of [["Not A Pool"], [""], Array.from({ length: 21 }, (_, i) => `p${i}`)]) {
    expect(brief(await give(ada.userId, pools))).toEqual(INVALID);
  }
  expect(brief(await give("00000000-0000-7000-8000-000000000000", ["gpu"]))).toEqual([404, "not_found"]);
});

test("a drained server gets no app by its label, and the deploy that waits for it says so", async () => {
  await http.addServer("only");
  await set("only", { labels: ["ssd"] });
  expect((await create("waits", { label: "ssd" })).status).toBe(201);
  await operator.post("/api/servers/only/drain");
  expect((await ada.call("POST", "/api/apps/waits/deploy")).json).toEqual({ status: "queued" });
  expect((await ada.call("GET", "/api/apps/waits/deploys/waiting")).json["waiting"]).toMatchObject({
    waits_for: "all_drained",
    detail:
      "Every server with the label ssd is drained and takes no new apps. The deploy begins when one takes them again.",
  });
});
