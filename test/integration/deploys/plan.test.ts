import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { PlanningAgent } from "../../support/agent/planning-agent.ts";

let http: TestApi;
let ada: Caller;
let agent: PlanningAgent;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

const plan = (body: object, caller = ada) => caller.call("POST", "/api/plan", body);
const REPOSITORY = "https://git.example.com/ada/shop";

test("a plan waits for a server: without one that is connected it says so", async () => {
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status: 503, json: { error: "agent_away" } });
  await http.addServer("server-0", { linked: false });
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status: 503, json: { error: "agent_away" } });
  agent = await PlanningAgent.add(http);
});

test("a plan says what a deploy would make, and makes nothing", async () => {
  const { status, json } = await plan({ repo_url: REPOSITORY, ref: "main", root: "apps/api/" });
  expect(status).toBe(200);
  expect(json).toEqual({
    commit_sha: "a".repeat(40),
    name: "shop",
    framework: "express",
    reason: "`express` in dependencies",
    port: 3000,
    start: "node server.js",
    dockerfile: { text: "FROM node:22-slim\n" },
    notes: ["A note."],
    root: "",
    spec_file: "svc.yaml",
    services: [{ name: "db", version: "16" }],
    env: ["GREETING"],
  });
  const source = { repoUrl: REPOSITORY, ref: "main", root: "apps/api", memoryBytesMax: 512n * 1024n * 1024n };
  expect(agent.asked.at(-1)?.source).toMatchObject({ ...source, platformHosted: false, outbound: { allowCidrs: [] } });
  expect(await ada.call("GET", "/api/apps")).toMatchObject({ json: { apps: [] } });
});

test.each([
  { repo_url: "http://127.0.0.1/x" },
  { repo_url: "https://user:secret@git.example.com/x" },
  { repo_url: "--upload-pack=x" },
  { repo_url: REPOSITORY, ref: "--option" },
  { repo_url: REPOSITORY, ref: "" },
  { repo_url: REPOSITORY, root: "../up" },
  { repo_url: REPOSITORY, framework: "express" },
  {},
])("a plan of $repo_url, $ref, $root is refused before a server is asked", async (body) => {
  const before = agent.asked.length;
  expect(await plan(body)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  expect(agent.asked).toHaveLength(before);
});

test("a plan of the team's own repository on the platform's git host is read with a token", async () => {
  const { json } = await ada.call("POST", "/api/repositories", { name: "own" });
  const { repo_url } = json as { repo_url: string };
  expect((await plan({ repo_url })).status).toBe(200);
  expect(agent.asked.at(-1)?.source).toMatchObject({
    platformHosted: true,
    credentials: { method: { case: "token" } },
  });
  const before = agent.asked.length;
  const eve = await http.addCaller();
  expect(await plan({ repo_url }, eve)).toMatchObject({ status: 422, json: { error: "repository_not_found" } });
  expect(agent.asked).toHaveLength(before);
});

test("a person has one plan made at a time, and others do not wait for it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  agent.untilAnswered = promise;
  const before = agent.asked.length;
  const first = plan({ repo_url: REPOSITORY });
  await eventually(
    () => agent.asked.length,
    (asked) => asked > before,
    { what: "the agent was asked" },
  );
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status: 429, json: { error: "rate_limited" } });
  agent.untilAnswered = Promise.resolve();
  expect((await plan({ repo_url: REPOSITORY }, await http.addCaller())).status).toBe(200);
  resolve();
  expect((await first).status).toBe(200);
  expect((await plan({ repo_url: REPOSITORY })).status).toBe(200);
});

test("a plan that nobody waits for any more is given up, and the person can have another one", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  agent.untilAnswered = promise;
  const [before, leaving] = [agent.asked.length, new AbortController()];
  const headers = { Authorization: `Bearer ${ada.key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ repo_url: REPOSITORY });
  const left = http.api.request("/api/plan", { method: "POST", headers, body, signal: leaving.signal });
  await expect.poll(() => agent.asked.length).toBe(before + 1);
  leaving.abort();
  await left;
  expect([agent.givenUp, agent.asked.length]).toEqual([1, before + 1]);
  agent.untilAnswered = Promise.resolve();
  expect((await plan({ repo_url: REPOSITORY })).status).toBe(200);
  resolve();
});

test.each([
  ["framework_unknown", 422],
  ["repository_needs_credentials", 422],
  ["step_timed_out", 504],
])("a plan that the server refuses with %s is answered so", async (code, status) => {
  agent.refusal = code;
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status, json: { error: code } });
});

test.each(["rate_limited", "disk_full"])("a plan that one server refuses with %s is made by another", async (code) => {
  agent.refusal = code;
  const other = await PlanningAgent.add(http, `room-${code}`);
  expect((await plan({ repo_url: REPOSITORY })).status).toBe(200);
  expect(other.asked).toHaveLength(1);
  await http.database.query("update servers set state = 'draining' where name = $1", [`room-${code}`]);
});

test("a plan that an older agent does not know is made by another, and where there is none the answer says so", async () => {
  agent.refusal = undefined;
  await PlanningAgent.addOlder(http, "a-first");
  expect((await plan({ repo_url: REPOSITORY })).status).toBe(200);
  await http.database.query("update servers set state = 'draining' where name = 'planner'");
  const answer = await plan({ repo_url: REPOSITORY });
  expect(answer).toMatchObject({ status: 503, json: { error: "agent_too_old" } });
  expect(String(answer.json["detail"])).toMatch(/older than the platform/);
  await http.database.query("update servers set state = 'draining' where name = 'a-first'");
  await http.database.query("update servers set state = 'active' where name = 'planner'");
});

test("a plan for which no server has room says when to ask again", async () => {
  agent.refusal = "rate_limited";
  const { status, headers } = await plan({ repo_url: REPOSITORY });
  expect(status).toBe(429);
  expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
});
