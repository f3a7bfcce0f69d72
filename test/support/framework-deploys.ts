import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDocker } from "@svc/agent/docker/connection.ts";
import { LABEL_APP_NAME, LABEL_DEPLOY } from "@svc/agent/domain/labels.ts";
import { eventually } from "./eventually.ts";
import type { Files, TestRepository } from "./git-host.ts";
import type { DeployAnswer } from "./platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "./platform-with-git.ts";

export interface FrameworkDeploy {
  /** A folder of test/fixtures/apps. */
  fixture: string;
  /** The `framework` that has to be recognised; the fixture's name unless told otherwise. */
  framework?: string;
  /** One line of one file, before and after. */
  change: { file: string; from: string; to: string };
  /** Where the app is asked. */
  path: string;
  /** What the answer holds; a value that only the running code, or its build, can give. */
  expected: string | RegExp;
  expectedAfter: string | RegExp;
}

export interface FrameworkDeploys {
  /** The fixture deploys by detection alone, answers, redeploys with a change, and stops at once. */
  describeFramework(deploy: FrameworkDeploy): void;
  setup(): PlatformWithGit;
}

/** A cold build of the slowest takes 80 s on two cores of its own; other builds may have them at the same time. */
const DEPLOY_MS_MAX = 400_000;
const TEST_MS_MAX = 2 * DEPLOY_MS_MAX;

/** What an app may take to end after SIGTERM. */
const STOP_MS_MAX = 2000;

/** Exit statuses of a process that ended by itself after SIGTERM, or by it; 137 is that of one that was killed. */
const ENDED_BY_SIGTERM = [0, 143];

/** One platform for the test file that calls it. */
export function frameworkDeploys(): FrameworkDeploys {
  let platform: PlatformWithGit;
  beforeAll(async () => {
    platform = await startPlatformWithGit();
  });
  afterAll(() => platform?.stop());
  return {
    setup: () => platform,
    describeFramework: (deploy) => describeDeploys(() => platform, deploy),
  };
}

function describeDeploys(setup: () => PlatformWithGit, deploy: FrameworkDeploy): void {
  const { fixture, framework = fixture, change, path, expected, expectedAfter } = deploy;
  const files = readFixture(fixture);
  let repository: TestRepository;

  describe(`the fixture ${fixture}`, () => {
    test("deploys by detection alone and answers", { timeout: TEST_MS_MAX }, async () => {
      repository = await setup().createApp(fixture, files);
      const { steps } = await succeeded(setup(), fixture);
      expect(steps[1]!.output).toMatch(new RegExp(`^${framework}: `, "m"));
      await answers(setup(), fixture, path, expected);
    });

    test("redeploys with a change", { timeout: TEST_MS_MAX }, async () => {
      const before = String(files[change.file]);
      const after = before.replace(change.from, () => change.to);
      expect(after).not.toBe(before);
      await repository.commit({ [change.file]: after });
      await succeeded(setup(), fixture);
      await answers(setup(), fixture, path, expectedAfter);
    });

    test("stops by itself within 2 s", async () => {
      const { milliseconds, exitCode } = await stop(setup(), fixture);
      expect(ENDED_BY_SIGTERM).toContain(exitCode);
      expect(milliseconds).toBeLessThan(STOP_MS_MAX);
    });
  });
}

/** A folder of test/fixtures, as it would be in a repository. */
export function readFixture(name: string, kind: "apps" | "managers" = "apps"): Files {
  const root = new URL(`../fixtures/${kind}/${name}/`, import.meta.url).pathname;
  const files: Record<string, Buffer> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.split("/").includes("node_modules")) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length)] = readFileSync(path);
  }
  return files;
}

/** Deploys the app and expects it to end well. */
export async function succeeded({ platform }: PlatformWithGit, app: string): Promise<DeployAnswer> {
  const { status, body } = await platform.api("POST", `/api/apps/${app}/deploy`, {});
  expect({ status, body }).toMatchObject({ status: 202, body: { deploy_id: expect.any(String) } });
  const { deploy_id: id } = body as { deploy_id: string };
  const ended = await platform.deployEnd(id, DEPLOY_MS_MAX);
  const output = ended.steps.map((step) => step.output ?? "").join("\n");
  expect(ended.deploy.status, `${ended.deploy.error}\n${output.slice(-4000)}`).toBe("success");
  return ended;
}

/** A new release may still warm up when it is asked first. */
export async function answers(
  { platform }: PlatformWithGit,
  app: string,
  path: string,
  expected: string | RegExp,
): Promise<void> {
  await eventually(
    () => platform.fetchApp(app, path),
    ({ status, body }) =>
      status === 200 && (typeof expected === "string" ? body.includes(expected) : expected.test(body)),
    { what: `${app}${path} answers ${String(expected)}`, intervalMs: 200 },
  );
}

/**
 * Stops the app through the API. Measured by the engine itself: from its signal to the end of the container, which no
 * other work of this machine is part of.
 */
async function stop(
  { platform }: PlatformWithGit,
  app: string,
): Promise<{ milliseconds: number; exitCode: number | undefined }> {
  const docker = connectDocker(process.env["DOCKER_HOST"]);
  const id = await runningContainer(docker, app);
  const since = Math.floor(Date.now() / 1000);
  expect((await platform.api("POST", `/api/apps/${app}/action`, { action: "stop" })).status).toBe(200);
  const until = Math.ceil(Date.now() / 1000) + 1;
  const times = await eventTimes(docker, id, since, until);
  const { State } = await docker.getContainer(id).inspect();
  return { milliseconds: times.die - times.kill, exitCode: State.ExitCode };
}

async function runningContainer(docker: Docker, app: string): Promise<string> {
  // The one before is drained for some seconds; the newest is the one that serves.
  const label = [`${LABEL_APP_NAME}=${app}`, LABEL_DEPLOY];
  const containers = await docker.listContainers({ filters: { label, status: ["running"] } });
  const newest = containers.toSorted((a, b) => b.Created - a.Created)[0];
  if (newest === undefined) throw new Error(`no container of ${app} runs`);
  return newest.Id;
}

interface EngineEvent {
  Action: string;
  timeNano: number;
}

/** Milliseconds of the first signal and of the end. */
async function eventTimes(
  docker: Docker,
  id: string,
  since: number,
  until: number,
): Promise<{ kill: number; die: number }> {
  const filters = { container: [id], event: ["kill", "die"] };
  const stream = await docker.getEvents({ since, until, filters });
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  const events = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as EngineEvent);
  const timeOf = (action: string): number => (events.find((event) => event.Action === action)?.timeNano ?? NaN) / 1e6;
  return { kill: timeOf("kill"), die: timeOf("die") };
}
