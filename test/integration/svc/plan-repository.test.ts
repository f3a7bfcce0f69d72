import { afterAll, beforeAll, expect, test } from "vitest";
import { PlanningAgent } from "../../support/agent/planning-agent.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

let world: SvcWorld;

beforeAll(async () => {
  world = await startSvcWorld();
});
afterAll(() => world?.stop());

const plan = (...argv: string[]) => world.user.svc(["plan", "https://git.example.com/ada/shop", ...argv]);

test("plan of an address says that no server is there to read the repository", async () => {
  const { status, stderr } = await plan();
  expect([status, stderr]).toEqual([1, expect.stringContaining("No server takes new apps")]);
});

test("plan of an address asks the service, which reads the repository", async () => {
  const agent = await PlanningAgent.add(world.http);
  const { status, stdout } = await plan("--root", "api");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Framework {2}express: `express` in dependencies\nPort {7}3000\nStart {6}node server\.js\n/);
  expect(stdout).toContain("Database   PostgreSQL 16 (db)");
  expect(stdout).toContain("FROM node:22-slim");
  expect(agent.asked.at(-1)?.source).toMatchObject({ repoUrl: "https://git.example.com/ada/shop", root: "api" });
});
