import { createClient, createRouterTransport } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AgentService, type PlanSourceRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { refused } from "../../support/agent/scripted-agent.ts";

let http: TestApi;
let ada: Caller;
/** What the agent was asked, the last at the end. */
const asked: PlanSourceRequest[] = [];
let refusal: string | undefined;

const ANSWER = {
  commitSha: "a".repeat(40),
  framework: "express",
  reason: "`express` in dependencies",
  port: 3000,
  start: "node server.js",
  dockerfile: { case: "dockerfileText", value: "FROM node:22-slim\n" },
  notes: ["A note."],
  root: "",
  specFile: "svc.yaml",
  name: "shop",
  services: [{ name: "db", version: "16" }],
  env: ["GREETING"],
} as const;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
});
afterAll(() => http?.stop());

async function addAgent(): Promise<void> {
  const id = await http.addServer("server-1");
  const transport = createRouterTransport(({ service }) => {
    service(AgentService, {
      planSource(request) {
        asked.push(request);
        if (refusal !== undefined) throw refused(refusal);
        return { ...ANSWER, notes: [...ANSWER.notes], services: [...ANSWER.services], env: [...ANSWER.env] };
      },
    });
  });
  http.links.clients.set(id, createClient(AgentService, transport));
}

const plan = (body: object, caller = ada) => caller.call("POST", "/api/plan", body);
const REPOSITORY = "https://git.example.com/ada/shop";

test("a plan waits for a server: without one that is connected it says so", async () => {
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status: 503, json: { error: "agent_away" } });
  await http.addServer("server-0", { linked: false });
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status: 503, json: { error: "agent_away" } });
  await addAgent();
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
  expect(asked.at(-1)?.source).toMatchObject({ ...source, platformHosted: false, outbound: { allowCidrs: [] } });
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
  const before = asked.length;
  expect(await plan(body)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  expect(asked).toHaveLength(before);
});

test("a plan of the team's own repository on the platform's git host is read with a token", async () => {
  const { json } = await ada.call("POST", "/api/repositories", { name: "own" });
  const { repo_url } = json as { repo_url: string };
  expect((await plan({ repo_url })).status).toBe(200);
  expect(asked.at(-1)?.source).toMatchObject({ platformHosted: true, credentials: { method: { case: "token" } } });
  const before = asked.length;
  const eve = await http.addCaller();
  expect(await plan({ repo_url }, eve)).toMatchObject({ status: 422, json: { error: "repository_not_found" } });
  expect(asked).toHaveLength(before);
});

test.each([
  ["framework_unknown", 422],
  ["repository_needs_credentials", 422],
  ["step_timed_out", 504],
])("a plan that the server refuses with %s is answered so", async (code, status) => {
  refusal = code;
  expect(await plan({ repo_url: REPOSITORY })).toMatchObject({ status, json: { error: code } });
});

test("a plan for which no server has room says when to ask again", async () => {
  refusal = "rate_limited";
  const { status, headers } = await plan({ repo_url: REPOSITORY });
  expect(status).toBe(429);
  expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
});
