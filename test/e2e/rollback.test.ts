import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeApp, program } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { DeployAnswer, Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

const run = promisify(execFile);
let setup: PlatformWithGit;
let platform: Platform;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
});
afterAll(() => setup?.stop());

/** Processes of this machine whose command line holds the text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return command.includes(text) ? [`${pid} ${command}`] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

describe("cancel", () => {
  it("of a running build leaves no process of it, and what is live keeps serving", async () => {
    const marker = `svc-cancel-${process.pid}`;
    const files = nodeApp('return "live"');
    const repository = await setup.createApp("canceled", files);
    expect((await platform.deploy("canceled")).deploy.status).toBe("success");
    await repository.commit({
      "package.json": files["package.json"]!.toString().replace(
        '"scripts":{',
        `"scripts":{"build":"node -e 'setInterval(()=>{},1e6)' ${marker}",`,
      ),
    });
    const { body } = await platform.api("POST", "/api/apps/canceled/deploy");
    const { deploy_id: id } = body as { deploy_id: string };
    await eventually(
      () => processesWith(marker),
      (found) => found.length > 0,
      {
        what: "the build runs",
        deadlineMs: 60_000,
      },
    );
    const reply = await platform.api("POST", `/api/deploys/${id}/cancel`);
    expect(reply).toMatchObject({ status: 202, body: { deploy_id: id, status: "canceling" } });
    const { deploy, steps } = await platform.deployEnd(id, 30_000);
    // Looked at once: whoever reads `canceled` finds nothing of it.
    expect(processesWith(marker)).toEqual([]);
    expect(deploy.status).toBe("canceled");
    expect(steps.map((step) => step.status)).toEqual(["skipped", "canceled", "skipped", "skipped"]);
    const images = await run("docker", ["images", "--quiet", "--filter", `label=svc.deploy=${id}`]);
    expect(images.stdout).toBe("");
    expect((await platform.fetchApp("canceled")).body).toBe("live");
  });
});

describe("beside another app's build", () => {
  const speaking = (word: string) =>
    program(`console.log("${word}", process.env.TOKEN);
require("node:http").createServer((req, res) => res.end("${word}")).listen(process.env.PORT, "0.0.0.0");
process.on("SIGTERM", () => { console.log("${word} ends"); process.exit(0); });`);
  const logs = async (query: string) => (await platform.api("GET", `/api/apps/exit/logs?${query}`)).body;

  it("an app is rolled back, and what its former and failed containers wrote is read", async () => {
    const repository = await setup.createApp("exit", speaking("one"));
    await platform.api("PUT", "/api/apps/exit/env", { env: { TOKEN: "canary-of-the-first" } });
    await platform.deploy("exit");
    await platform.api("PUT", "/api/apps/exit/env", { env: { TOKEN: "canary-of-the-second" } });
    await repository.commit(speaking("two"));
    const second = await platform.deploy("exit");
    await repository.commit(program('console.log("boom", process.env.TOKEN); process.exit(3);'));
    const failed = await platform.deploy("exit");
    expect(failed.deploy.status).toBe("failed");

    const marker = `svc-beside-${process.pid}`;
    const build = `node -e 'setInterval(()=>{},1e6)' ${marker}`;
    const manifest = JSON.stringify({ name: "busy", private: true, scripts: { build, start: "node server.js" } });
    await setup.createApp("busy", { ...nodeApp(), "package.json": manifest });
    const { body } = await platform.api("POST", "/api/apps/busy/deploy");
    const { deploy_id: id } = body as { deploy_id: string };
    await eventually(
      () => processesWith(marker),
      (found) => found.length > 0,
      { what: "the build runs", deadlineMs: 60_000 },
    );
    expect(await platform.api("POST", "/api/apps/exit/rollback")).toMatchObject({ status: 200 });
    expect((await platform.fetchApp("exit")).body).toBe("one");
    expect(processesWith(marker)).not.toEqual([]);
    expect(await platform.api("POST", `/api/deploys/${id}/cancel`)).toMatchObject({ status: 202 });
    await platform.deployEnd(id, 30_000);

    expect(await logs(`deploy=${failed.deploy.id}`)).toMatchObject({
      logs: expect.stringMatching(/ boom \[REDACTED\]/),
    });
    const ended = await eventually(
      async () => JSON.stringify(await logs("release=v2")),
      (text) => text.includes("two ends"),
      { what: "the replaced container has ended", deadlineMs: 60_000, intervalMs: 200 },
    );
    expect(ended).toMatch(/ two \[REDACTED\]/);
    const filter = `label=svc.deploy=${second.deploy.id}`;
    await eventually(
      async () => (await run("docker", ["ps", "--all", "--quiet", "--filter", filter])).stdout,
      (text) => text === "",
      { what: "the replaced container is gone", deadlineMs: 60_000, intervalMs: 200 },
    );
    // A line of the platform's about its end may come after the first look.
    const own = (text: string) =>
      (JSON.parse(text) as { logs: string }).logs.split("\n").filter((line) => !line.includes(" [platform] "));
    expect(own(JSON.stringify(await logs("release=v2")))).toEqual(own(ended));
  });
});

describe("rollback", () => {
  const body = "return 'one ' + process.env.GREETING + ' ' + process.env.SVC_RELEASE";
  let second: DeployAnswer;

  it("brings code and environment of the release before back, without building and without the git host", async () => {
    const repository = await setup.createApp("rolled", nodeApp(body));
    await platform.api("PUT", "/api/apps/rolled/env", { env: { GREETING: "A" } });
    expect((await platform.deploy("rolled")).deploy.status).toBe("success");
    await repository.commit(nodeApp(body.replace("one", "two")));
    await platform.api("PUT", "/api/apps/rolled/env", { env: { GREETING: "B" } });
    second = await platform.deploy("rolled");
    expect((await platform.fetchApp("rolled")).body).toBe("two B v2");

    await setup.git.close();
    const answers: string[] = [];
    const rolling = platform.api("POST", "/api/apps/rolled/rollback");
    let over = false;
    void rolling.finally(() => (over = true));
    while (!over) {
      const { status, body: text } = await platform.fetchApp("rolled");
      answers.push(`${status} ${text}`);
    }
    expect(await rolling).toMatchObject({ status: 200, body: { status: "rolled_back" } });
    expect((await platform.fetchApp("rolled")).body).toBe("one A v1");
    // Nobody was served anything else than one of the two.
    expect(answers.filter((answer) => !["200 two B v2", "200 one A v1"].includes(answer))).toEqual([]);

    const { body: list } = await platform.api("GET", "/api/apps/rolled/deploys");
    expect((list as { deploys: unknown[] }).deploys).toMatchObject([{ release: "v2" }, { release: "v1" }]);
    const { rows } = await platform.database.query(
      `select s.status from deploy_steps s join deploys d on d.id = s.deploy_id join apps a on a.id = d.app_id
       where a.name = 'rolled' and d.kind = 'rollback' and s.step_name = 'clone_build'`,
    );
    expect(rows).toEqual([{ status: "skipped" }]);
    // The stored values are what the next deploy takes.
    expect((await platform.api("GET", "/api/apps/rolled/env")).body).toEqual({ env: { GREETING: "B" } });
  });

  it("says so when the image was taken from the server, and what is live keeps serving", async () => {
    const filter = `label=svc.deploy=${second.deploy.id}`;
    const found = await eventually(
      async () => (await run("docker", ["ps", "--all", "--quiet", "--filter", filter])).stdout,
      (text) => text === "",
      { what: "the replaced container is gone", deadlineMs: 60_000, intervalMs: 200 },
    );
    expect(found).toBe("");
    const images = await run("docker", ["images", "--quiet", "--no-trunc", "--filter", filter]);
    const ids = [...new Set(images.stdout.trim().split("\n"))];
    await run("docker", ["rmi", "--force", ...ids]);
    const reply = await platform.api("POST", "/api/apps/rolled/rollback", { release: "v2" });
    expect(reply).toMatchObject({ status: 409, body: { error: "release_image_gone" } });
    expect((await platform.fetchApp("rolled")).body).toBe("one A v1");
  });
});
