import { afterAll, beforeAll, expect, test } from "vitest";
import { unpackRecordedAgent } from "../support/agent/recorded-agent.ts";
import { rowKeeper } from "../support/kills/row-keeper.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { eventually } from "../support/tools/eventually.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit({ agentProgram: await unpackRecordedAgent() });
});
afterAll(() => setup?.stop());

test("an agent of the version before deploys, keeps and removes apps for this control plane", async () => {
  const { platform } = setup;
  const repository = await setup.createApp("shop", await rowKeeper("one"), { needs_database: true });
  expect((await platform.deploy("shop")).deploy).toMatchObject({ status: "success" });
  expect((await platform.fetchApp("shop")).body).toBe("one");

  await platform.api("PUT", "/api/apps/shop/env", { env: { GREETING: "hello" } });
  await repository.commit(await rowKeeper("two"));
  const { deploy } = await platform.deploy("shop");
  expect(deploy).toMatchObject({ status: "success", commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect((await platform.fetchApp("shop")).body).toBe("two");

  expect((await platform.api("POST", "/api/apps/shop/rollback", {})).status).toBe(200);
  await eventually(
    () => platform.fetchApp("shop"),
    ({ body }) => body === "one",
    { what: "the release before serves", deadlineMs: 60_000 },
  );
  for (const [action, status] of [
    ["stop", 503],
    ["start", 200],
    ["restart", 200],
  ] as const) {
    const asked = () => platform.api("POST", "/api/apps/shop/action", { action });
    await eventually(asked, (answer) => answer.status === 200, { what: `${action} is done`, deadlineMs: 60_000 });
    expect((await platform.fetchApp("shop")).status).toBe(status);
  }
  const { body } = await platform.api("GET", "/api/apps/shop/logs?lines=10");
  expect(body).toHaveProperty("logs");
  expect((await platform.api("DELETE", "/api/apps/shop?purge=1")).status).toBe(204);
  await eventually(
    () => platform.fetchApp("shop").then(({ status }) => status),
    (status) => status !== 200,
    { what: "nothing of it is served any more", deadlineMs: 60_000 },
  );
});

test("an agent of the version before is asked for no more than it knows, and the answer says so", async () => {
  const { platform } = setup;
  const upgraded = JSON.parse(await platform.admin("server", "upgrade", "--json")) as { servers: object[] };
  expect(upgraded.servers).toEqual([{ server: "server-1", left: expect.stringContaining("from the sources") }]);
});
