import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../support/platform/apps.ts";
import type { DeployAnswer } from "../support/platform/platform.ts";
import { startVictim, type Victim } from "../support/platform/victim.ts";

let victim: Victim;

beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim?.setup.stop());

const expectCleanFailure: Victim["expectCleanFailure"] = (...args) => victim.expectCleanFailure(...args);

describe("the repository", () => {
  async function deployFrom(url: string): Promise<DeployAnswer> {
    const { rows } = await victim.setup.platform.database.query("select repo_url from apps where name = 'victim'");
    // PATCH comes with the whole API; the row is what it will write.
    await victim.setup.platform.database.query("update apps set repo_url = $1 where name = 'victim'", [url]);
    try {
      return await victim.setup.platform.deploy("victim");
    } finally {
      await victim.setup.platform.database.query("update apps set repo_url = $1 where name = 'victim'", [
        rows[0]!["repo_url"],
      ]);
    }
  }

  it("does not exist", async () => {
    await expectCleanFailure(
      await deployFrom(victim.setup.git.urlOf("nowhere")),
      "clone_build",
      /no git repository at/,
    );
  });

  it("wants a password", async () => {
    const url = victim.setup.git.urlOf("victim", "needs-password");
    await expectCleanFailure(await deployFrom(url), "clone_build", /password|credentials|private|sign/i);
  });

  it("is not reachable", async () => {
    await expectCleanFailure(await deployFrom("https://localhost:1/gone.git"), "clone_build", /reach|connect|refused/i);
  });

  it("has an address that is not public", async () => {
    await expectCleanFailure(await deployFrom("https://169.254.169.254/latest.git"), "clone_build", /address|public/i);
  });

  it("has nothing to recognise", async () => {
    await expectCleanFailure(await victim.deployOf({ "notes.txt": "nothing here" }), "clone_build", /Dockerfile/);
  });
});

describe("the ref", () => {
  it("does not exist", async () => {
    await expectCleanFailure(
      await victim.setup.platform.deploy("victim", { ref: "no-such-branch" }),
      "clone_build",
      /no-such-branch/,
    );
  });

  it("looks like an option: it is refused before anything starts", async () => {
    const { status, body } = await victim.setup.platform.api("POST", "/api/apps/victim/deploy", {
      ref: "--upload-pack=touch /tmp/owned",
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: "invalid_request", detail: expect.stringContaining("ref") },
    });
  });
});

describe("the app", () => {
  it("exits at once: its last lines are in the error", async () => {
    const answer = await victim.deployOf(program('console.error("cannot find the config"); process.exit(7)'));
    await expectCleanFailure(answer, "deploy_container", /7[\s\S]*cannot find the config/);
  });

  it("never listens on its port: within a minute and a bit, the error names the port it does listen on", async () => {
    const answer = await victim.deployOf(
      program('require("http").createServer((q, r) => r.end()).listen(4567, "0.0.0.0")'),
    );
    await expectCleanFailure(answer, "deploy_container", /4567[\s\S]*3000|3000[\s\S]*4567/);
    const step = answer.steps.find(({ step_name: name }) => name === "deploy_container")!;
    expect(Date.parse(step.finished_at!) - Date.parse(step.started_at!)).toBeLessThan(70_000);
  });
});
