import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import Docker from "dockerode";
import { dockerfileApp, nodeApp, program } from "../support/apps.ts";
import { eventually } from "../support/eventually.ts";
import type { Files, TestRepository } from "../support/git-host.ts";
import type { DeployAnswer, Platform } from "../support/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";

/**
 * One app is live, and its next deploy goes wrong in every way that users find. Each must end in `failed` in its time,
 * with a sentence that says what to do, the lock free, nothing half-made left, and the live release still serving.
 */
let setup: PlatformWithGit;
let platform: Platform;
let repository: TestRepository;
const live = nodeApp('return "the live release"');
const docker = new Docker();

beforeAll(async () => {
  setup = await startPlatformWithGit({ agent: { SVC_BUILD_MEMORY: "256m" } });
  platform = setup.platform;
  repository = await setup.createApp("victim", live);
  expect((await platform.deploy("victim")).deploy.status).toBe("success");
});
afterAll(() => setup?.stop());

let containersBefore: string[];
beforeEach(async () => {
  containersBefore = await containers();
});

async function containers(): Promise<string[]> {
  const { rows } = await platform.database.query("select id from apps where name = 'victim'");
  const filters = { label: [`svc.app=${rows[0]!["id"]}`] };
  return (await docker.listContainers({ all: true, filters })).map((one) => one.Id).sort();
}

async function expectCleanFailure({ deploy, steps }: DeployAnswer, step: string, says: RegExp): Promise<void> {
  expect(deploy.status).toBe("failed");
  expect(deploy.error).toMatch(says);
  const failed = steps.find((one) => one.status === "failed");
  expect(failed).toMatchObject({ step_name: step, error: deploy.error });
  expect(steps.slice(steps.indexOf(failed!) + 1).every((one) => one.status === "skipped")).toBe(true);
  expect(await platform.fetchApp("victim")).toMatchObject({ status: 200, body: "the live release" });
  expect(await containers()).toEqual(containersBefore);
  const images = await docker.listImages({ filters: { label: [`svc.deploy=${deploy.id}`] } });
  expect(images).toEqual([]);
  await eventually(
    async () => JSON.parse(await platform.admin("server", "status", "server-1", "--json")) as { lock?: unknown },
    ({ lock }) => lock === undefined,
    { what: "the lock is free" },
  );
}

/** Commits the files as the app's next version, deploys it, and puts the live version back. */
async function deployOf(files: Files, deadlineMs = 90_000): Promise<DeployAnswer> {
  await repository.git("rm", "-r", "--quiet", ".");
  await repository.commit(files);
  try {
    const { body } = await platform.api("POST", "/api/apps/victim/deploy", {});
    return await platform.deployEnd((body as { deploy_id: string }).deploy_id, deadlineMs);
  } finally {
    await repository.git("rm", "-r", "--quiet", ".");
    await repository.commit(live);
  }
}

describe("the repository", () => {
  async function deployFrom(url: string): Promise<DeployAnswer> {
    const { rows } = await platform.database.query("select repo_url from apps where name = 'victim'");
    // PATCH comes with the whole API; the row is what it will write.
    await platform.database.query("update apps set repo_url = $1 where name = 'victim'", [url]);
    try {
      return await platform.deploy("victim");
    } finally {
      await platform.database.query("update apps set repo_url = $1 where name = 'victim'", [rows[0]!["repo_url"]]);
    }
  }

  it("does not exist", async () => {
    await expectCleanFailure(await deployFrom(setup.git.urlOf("nowhere")), "clone_build", /no git repository at/);
  });

  it("wants a password", async () => {
    const url = setup.git.urlOf("victim", "needs-password");
    await expectCleanFailure(await deployFrom(url), "clone_build", /password|credentials|private|sign/i);
  });

  it("is not reachable", async () => {
    await expectCleanFailure(await deployFrom("https://localhost:1/gone.git"), "clone_build", /reach|connect|refused/i);
  });

  it("has an address that is not public", async () => {
    await expectCleanFailure(await deployFrom("https://169.254.169.254/latest.git"), "clone_build", /address|public/i);
  });
});

describe("the ref", () => {
  it("does not exist", async () => {
    await expectCleanFailure(
      await platform.deploy("victim", { ref: "no-such-branch" }),
      "clone_build",
      /no-such-branch/,
    );
  });

  it("looks like an option: it is refused before anything starts", async () => {
    const { status, body } = await platform.api("POST", "/api/apps/victim/deploy", {
      ref: "--upload-pack=touch /tmp/owned",
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: "invalid_request", detail: expect.stringContaining("ref") },
    });
  });
});

describe("the build", () => {
  it("fails", async () => {
    const answer = await deployOf(dockerfileApp(["RUN echo compiling && echo 'no such header' >&2 && exit 3"]));
    await expectCleanFailure(answer, "clone_build", /exit.*3|3.*exit/i);
    expect(answer.steps[1]!.output).toContain("no such header");
  });

  it("names an image that is not there", async () => {
    const answer = await deployOf({ Dockerfile: "FROM no-such-image-anywhere:1\n" });
    await expectCleanFailure(answer, "clone_build", /no-such-image-anywhere/);
  });

  it("eats memory", async () => {
    const hog = "const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))";
    const answer = await deployOf(dockerfileApp([`RUN node -e "${hog}"`]));
    await expectCleanFailure(answer, "clone_build", /memory/i);
  });

  it("forks without end: the host lives, and the build ends within its limits", async () => {
    const bomb =
      "const {spawn} = require('child_process'); const more = () => { spawn(process.execPath, [__filename]).on('error', () => process.exit(9)); }; setInterval(more, 1)";
    const answer = await deployOf({
      ...dockerfileApp(["COPY bomb.js /bomb.js", "RUN node /bomb.js"]),
      "bomb.js": bomb,
    });
    expect(answer.deploy.status).toBe("failed");
    await expectCleanFailure(answer, "clone_build", /memory|process|exit|fork/i);
  });

  it("has nothing to recognise", async () => {
    await expectCleanFailure(await deployOf({ "notes.txt": "nothing here" }), "clone_build", /Dockerfile/);
  });
});

describe("the app", () => {
  it("exits at once: its last lines are in the error", async () => {
    const answer = await deployOf(program('console.error("cannot find the config"); process.exit(7)'));
    await expectCleanFailure(answer, "deploy_container", /7[\s\S]*cannot find the config/);
  });

  it("never listens on its port: within a minute and a bit, the error names the port it does listen on", async () => {
    const before = Date.now();
    const answer = await deployOf(program('require("http").createServer((q, r) => r.end()).listen(4567, "0.0.0.0")'));
    await expectCleanFailure(answer, "deploy_container", /4567[\s\S]*3000|3000[\s\S]*4567/);
    expect(Date.now() - before).toBeLessThan(75_000);
  });
});
