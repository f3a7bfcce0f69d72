import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

it("the requests of an app are read through its logs, secrets redacted, also what came while the agent was away", async () => {
  const { platform } = setup;
  await setup.createApp("shop", nodeApp());
  await platform.api("PUT", "/api/apps/shop/env", { env: { TOKEN: "canary-4711-canary" } });
  expect((await platform.deploy("shop")).deploy.status).toBe("success");
  await platform.fetchApp("shop", "/bought?token=canary-4711-canary");
  await platform.agent.stop();
  await platform.fetchApp("shop", "/while-away");
  await platform.agent.start();
  const read = async (query: string): Promise<string> => {
    const { body } = await platform.api("GET", `/api/apps/shop/logs?${query}`);
    return (body as { logs?: string }).logs ?? "";
  };
  const logs = await eventually(
    () => read("source=access"),
    (text) => text.includes("/while-away"),
    { what: "the access log" },
  );
  const [first, second] = logs.split("\n");
  expect(first).toMatch(/^[0-9TZ:.-]+ 127\.0\.0\.1 shop\.\S+ "GET \/bought\?token=\[REDACTED\] HTTP\/1\.1" 200 \d+ B/);
  expect(second).toContain('"GET /while-away HTTP/1.1" 200');
  expect((await read("source=access&lines=1")).split("\n")).toHaveLength(1);
  expect(await read("source=container")).not.toContain("/while-away");
  expect(await read("lines=10")).not.toContain("/while-away");
  expect((await platform.api("GET", "/api/apps/shop/logs?source=other")).status).toBe(400);
});
