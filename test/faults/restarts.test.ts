import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { Platform } from "../support/platform/platform.ts";
import { endProcessesOf } from "../support/platform/remove-host.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

/** Processes of ours that end in the middle of a deploy, in order and with `kill -9`. */
let setup: PlatformWithGit;
let platform: Platform;
let version = 0;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
  await setup.createApp("shop", slowApp());
});
afterAll(() => setup?.stop());

/** A build of four seconds that says its lines one by one. */
function slowApp() {
  const answer = `version ${++version}`;
  const app = nodeApp(`return ${JSON.stringify(answer)}`);
  const build = "node build.js";
  return {
    ...app,
    "package.json": JSON.stringify({ name: "shop", private: true, scripts: { start: "node server.js", build } }),
    "build.js": `let i = 0; const timer = setInterval(() => { console.log("line " + ++i + " of ${answer}"); if (i === 40) clearInterval(timer); }, 100)`,
  };
}

async function startDeploy(): Promise<string> {
  const repository = await setup.git.repository(`shop-${version + 1}`, slowApp());
  await platform.database.query("update apps set repo_url = $1 where name = 'shop'", [repository.url]);
  const { status, body } = await platform.api("POST", "/api/apps/shop/deploy", {});
  expect(status).toBe(202);
  const { deploy_id: id } = body as { deploy_id: string };
  await eventually(
    async () => stepOutput(id),
    (output) => output.includes("line 5 of"),
    { what: "the build runs", deadlineMs: 60_000 },
  );
  return id;
}

async function stepOutput(id: string): Promise<string> {
  const { body } = await platform.api("GET", `/api/deploys/${id}`);
  return (body as { steps: { output?: string }[] }).steps[1]!.output ?? "";
}

async function expectServed(id: string): Promise<void> {
  const { deploy } = await platform.deployEnd(id);
  expect(deploy.error).toBeUndefined();
  expect(deploy.status).toBe("success");
  expect((await platform.fetchApp("shop")).body).toBe(`version ${version}`);
}

describe("the control plane", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "ends with %s during a build: the build goes on, no line is lost",
    async (signal) => {
      const id = await startDeploy();
      await platform.controlPlane.stop(signal);
      await platform.controlPlane.start();
      await expectServed(id);
      const output = await stepOutput(id);
      for (let line = 1; line <= 40; line++) expect(output.split(`line ${line} of`).length).toBe(2);
    },
  );
});

describe("the agent", () => {
  it("is killed during a build: the step runs once more, and the deploy succeeds", async () => {
    const id = await startDeploy();
    await platform.agent.stop("SIGKILL");
    await platform.agent.start();
    await expectServed(id);
  });

  it("stays away: its owner can cancel the deploy within a minute, and the app that was live still serves", async () => {
    const served = version;
    const id = await startDeploy();
    await platform.agent.stop("SIGKILL");
    expect((await platform.api("POST", `/api/deploys/${id}/cancel`)).status).toBe(202);
    expect((await platform.deployEnd(id, 60_000)).deploy.status).toBe("canceled");
    expect((await platform.fetchApp("shop")).body).toBe(`version ${served}`);
  });

  it("is away: a deploy waits in the queue, and runs when the agent is back", async () => {
    const repository = await setup.git.repository(`shop-${version + 1}`, slowApp());
    await platform.database.query("update apps set repo_url = $1 where name = 'shop'", [repository.url]);
    const { status, body } = await platform.api("POST", "/api/apps/shop/deploy", {});
    expect({ status, body }).toEqual({ status: 202, body: { status: "queued" } });
    await platform.agent.start();
    const list = await eventually(
      async () =>
        (await platform.api("GET", "/api/apps/shop/deploys")).body as { deploys: { id: string; status: string }[] },
      ({ deploys }) => deploys[0]!.status === "running" || deploys[0]!.status === "success",
      { what: "the queued deploy starts", deadlineMs: 45_000 },
    );
    await expectServed(list.deploys[0]!.id);
  });
});

describe("both at once, with the proxy and the name server", () => {
  it("come back, and the app is served again", async () => {
    await Promise.all([platform.agent.stop("SIGKILL"), platform.controlPlane.stop("SIGKILL")]);
    await endProcessesOf(platform.agentDataDir);
    await platform.controlPlane.start();
    await platform.agent.start();
    expect((await platform.fetchApp("shop")).body).toBe(`version ${version}`);
  });
});
