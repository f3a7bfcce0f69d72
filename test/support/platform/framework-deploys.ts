import type Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { LABEL_APP, LABEL_DEPLOY } from "@svc/shared/rules/labels.ts";
import { eventually } from "../tools/eventually.ts";
import { changedFile, holds, lockedFixture, readFixture, type FrameworkFixture } from "./framework-fixtures.ts";
import type { TestRepository } from "../doubles/git-host.ts";
import type { DeployAnswer } from "./platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "./platform-with-git.ts";
import { timeStop, type StopTime } from "../engine/stop-time.ts";

export interface FrameworkDeploys {
  /** The fixture deploys by detection alone, answers, redeploys with a change, and stops at once. */
  describeFramework(fixture: FrameworkFixture): void;
  /** The app of the fixture, for another deploy of it: made when it is asked for first. Its name is the fixture's. */
  appOf(fixture: string): Promise<TestRepository>;
  setup(): PlatformWithGit;
}

/** A cold build of the slowest takes 80 s on two cores of its own; other builds may have them at the same time. */
const DEPLOY_MS_MAX = 400_000;
const TEST_MS_MAX = 2 * DEPLOY_MS_MAX;

/** The time that an app has to end after SIGTERM. */
const STOP_MS_MAX = 2000;
/** A machine that builds for another test at that moment is late; not each time. */
const STOPS_MAX = 3;

/** Exit statuses of a process that ended by itself after SIGTERM, or by it; 137 is that of one that was killed. */
const ENDED_BY_SIGTERM = [0, 143];

/** One platform for the test file that calls it. */
export function frameworkDeploys(): FrameworkDeploys {
  let platform: PlatformWithGit;
  const repositories = new Map<string, Promise<TestRepository>>();
  const appOf = (fixture: string): Promise<TestRepository> => {
    const made = async () => platform.createApp(fixture, await lockedFixture(fixture));
    const known = repositories.get(fixture) ?? made();
    repositories.set(fixture, known);
    return known;
  };
  beforeAll(async () => {
    platform = await startPlatformWithGit();
  });
  afterAll(() => platform?.stop());
  return {
    setup: () => platform,
    appOf,
    describeFramework: (fixture) => describeDeploys(() => platform, appOf, fixture),
  };
}

function describeDeploys(
  setup: () => PlatformWithGit,
  appOf: FrameworkDeploys["appOf"],
  deploy: FrameworkFixture,
): void {
  const { fixture, framework = fixture, change, path, expected, expectedAfter } = deploy;
  const files = readFixture(fixture);

  describe(`the fixture ${fixture}`, () => {
    test("deploys by detection alone and answers", { timeout: TEST_MS_MAX }, async () => {
      await appOf(fixture);
      const { steps } = await succeeded(setup(), fixture);
      expect(steps[1]!.output).toMatch(new RegExp(`^${framework}: `, "m"));
      await answers(setup(), fixture, path, expected);
    });

    test("redeploys with a change", { timeout: TEST_MS_MAX }, async () => {
      const changed = changedFile(files, change);
      expect(changed).not.toEqual({ [change.file]: String(files[change.file]) });
      await (await appOf(fixture)).commit(changed);
      await succeeded(setup(), fixture);
      await answers(setup(), fixture, path, expectedAfter);
    });

    test("stops by itself within 2 s", async () => {
      const took: number[] = [];
      while (took.length < STOPS_MAX && !(took.at(-1)! < STOP_MS_MAX)) {
        if (took.length > 0) await start(setup(), fixture);
        const { milliseconds, exitCode } = await stop(setup(), fixture);
        expect(ENDED_BY_SIGTERM).toContain(exitCode);
        took.push(milliseconds);
      }
      expect(took.at(-1), `it took ${took.join(", ")} ms`).toBeLessThan(STOP_MS_MAX);
    });
  });
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
    ({ status, body }) => status === 200 && holds(body, expected),
    { what: `${app}${path} answers ${String(expected)}`, intervalMs: 200 },
  );
}

async function start({ platform }: PlatformWithGit, app: string): Promise<void> {
  expect((await platform.api("POST", `/api/apps/${app}/action`, { action: "start" })).status).toBe(200);
}

async function stop({ platform }: PlatformWithGit, app: string): Promise<StopTime> {
  const docker = connectDocker(process.env["DOCKER_HOST"]);
  const { rows } = await platform.database.query("select id from apps where name = $1", [app]);
  return timeStop(docker, await runningContainer(docker, String(rows[0]!["id"])), async () => {
    expect((await platform.api("POST", `/api/apps/${app}/action`, { action: "stop" })).status).toBe(200);
  });
}

async function runningContainer(docker: Docker, appId: string): Promise<string> {
  // The one before is drained for some seconds; the newest is the one that serves.
  const label = [`${LABEL_APP}=${appId}`, LABEL_DEPLOY];
  const containers = await docker.listContainers({ filters: { label, status: ["running"] } });
  const newest = containers.toSorted((a, b) => b.Created - a.Created)[0];
  if (newest === undefined) throw new Error(`no container of the app ${appId} runs`);
  return newest.Id;
}
