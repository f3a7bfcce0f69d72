import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { nodeApp } from "../support/apps.ts";
import { startLoad } from "../support/open-loop-load.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";

let setup: PlatformWithGit;

beforeAll(async () => {
  setup = await startPlatformWithGit();
});
afterAll(() => setup?.stop());

it("no request is lost in deploys, a failed deploy, the removal of what was replaced, or another app's deploy", async () => {
  const { platform } = setup;
  const repository = await setup.createApp("busy", nodeApp('return "v1"'));
  await setup.createApp("other", nodeApp());
  expect((await platform.deploy("busy")).deploy.status).toBe("success");
  const load = startLoad({
    host: `busy.${platform.appsDomain}`,
    port: platform.httpsPort,
    ca: readFileSync(join(platform.agentDataDir, "internal-ca.pem"), "utf8"),
    perSecond: 100,
  });
  const statuses: string[] = [];
  try {
    for (const files of [nodeApp('return "v2"'), nodeApp('return "v3"'), { "server.js": "process.exit(1)" }]) {
      await repository.commit(files);
      statuses.push((await platform.deploy("busy")).deploy.status);
    }
    statuses.push((await platform.deploy("other")).deploy.status);
  } finally {
    const { sent, ok, failures, answers } = await load.stop();
    expect(failures).toEqual({});
    expect(ok).toBe(sent);
    expect(Object.keys(answers).toSorted()).toEqual(["v1", "v2", "v3"]);
  }
  expect(statuses).toEqual(["success", "success", "failed", "success"]);
});
