import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import type { AgentWire } from "../support/agent/agent-wire.ts";
import { agentWireTest as test } from "../support/agent/agent-wire-test.ts";
import { errorOf, type Message } from "../support/agent/grpc-client.ts";

const EXPRESS = {
  "package.json": JSON.stringify({ scripts: { start: "node server.js" }, dependencies: { express: "5.0.0" } }),
  "server.js": "",
};

const SPEC = `# spec: svc/v1
name: shop
resources:
  memory: 256m
services:
  db:
    engine: postgres
    version: "16"
env: [GREETING]
`;

function planOf(wire: AgentWire, source: object = {}): Promise<Message> {
  const spec = { repo_url: "https://git.example.com/ada/shop", time_limit_seconds: 60, ...source };
  return wire.call("PlanSource", { plan_id: newId(), source: spec });
}

/** What is left of checkouts. */
function checkouts(wire: AgentWire): Promise<string[]> {
  return readdir(join(wire.agent.dataDirectory, "clones")).catch(() => []);
}

test("a plan names framework, port, start and commit, and leaves nothing behind", async ({ wire }) => {
  wire.agent.git.knobs.files = EXPRESS;
  const plan = await planOf(wire);
  expect(plan).toMatchObject({ framework: "express", port: 3000, root: "", spec_file: "", services: [], env: [] });
  expect(plan["commit_sha"]).toMatch(/^[0-9a-f]{40}$/);
  expect(plan["start"]).toContain("server.js");
  expect(plan["dockerfile_text"]).toContain("FROM ");
  expect(await checkouts(wire)).toEqual([]);
});

test("a plan obeys the spec file, and says what it asks for", async ({ wire }) => {
  wire.agent.git.knobs.files = { ...EXPRESS, "svc.yaml": SPEC };
  const plan = await planOf(wire, { memory_bytes_max: String(512 * 1024 * 1024) });
  const services = [{ name: "db", version: "16" }];
  expect(plan).toMatchObject({ name: "shop", spec_file: "svc.yaml", services, env: ["GREETING"] });
});

test("a plan of a repository with a Dockerfile names its path", async ({ wire }) => {
  wire.agent.git.knobs.files = { Dockerfile: "FROM node:22-slim\nEXPOSE 4000\nCMD node .\n" };
  expect(await planOf(wire)).toMatchObject({ framework: "dockerfile", port: 4000, dockerfile_path: "Dockerfile" });
});

test("a plan is refused for what a deploy would be refused for", async ({ wire }) => {
  const { knobs } = wire.agent.git;
  knobs.files = { ...EXPRESS, "svc.yaml": SPEC };
  const beyondCap = await errorOf(planOf(wire, { memory_bytes_max: String(128 * 1024 * 1024) }));
  expect(beyondCap).toMatchObject({ detail: "invalid_request" });
  knobs.files = { "notes.txt": "hello" };
  expect(await errorOf(planOf(wire))).toMatchObject({ detail: "framework_unknown" });
  knobs.failure = "repository_not_found";
  expect(await errorOf(planOf(wire))).toMatchObject({ detail: "repository_not_found" });
  expect(await checkouts(wire)).toEqual([]);
});

test("a plan of what no deploy may fetch is refused before anything is fetched", async ({ wire }) => {
  wire.agent.git.knobs.hangs = true;
  const refused = (request: object) => errorOf(wire.call("PlanSource", request));
  expect(await refused({ plan_id: newId() })).toMatchObject({ detail: "invalid_request" });
  expect(await refused({ plan_id: "../up", source: { time_limit_seconds: 60 } })).toMatchObject({
    detail: "invalid_request",
  });
  expect(await errorOf(planOf(wire, { time_limit_seconds: 9 }))).toMatchObject({ detail: "invalid_request" });
  expect(await errorOf(planOf(wire, { root: "../up" }))).toMatchObject({ detail: "invalid_request" });
});

test("two plans are made at a time, a third one is refused, and the end of their time makes room again", async ({
  wire,
}) => {
  const { knobs } = wire.agent.git;
  knobs.hangs = true;
  const hanging = [planOf(wire, { time_limit_seconds: 10 }), planOf(wire, { time_limit_seconds: 10 })].map(errorOf);
  // Calls of one connection come in in their order.
  expect(await errorOf(planOf(wire))).toMatchObject({ detail: "rate_limited" });
  for (const error of await Promise.all(hanging)) expect(error).toMatchObject({ detail: "step_timed_out" });
  expect(await checkouts(wire)).toEqual([]);
  knobs.hangs = false;
  expect(await planOf(wire)).toMatchObject({ framework: "static" });
});
