import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { labelFilter, LABEL_APP_NAME, LABEL_DEPLOY, LABEL_ROLE } from "@svc/shared/rules/labels.ts";
import { findOrphanedBuilds } from "@svc/agent/build/limits/orphaned-builds.ts";
import { PSQL_ARGV } from "@svc/agent/database/statements.ts";
import { execFile } from "node:child_process";
import { isDeepStrictEqual, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/tools/eventually.ts";
import type { Files } from "../support/doubles/git-host.ts";
import { startOwnEngine, type OwnEngine } from "../support/engine/own-engine.ts";
import type { Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { endProcessesOf } from "../support/platform/remove-host.ts";

const run = promisify(execFile);

/** From the engine's return on. */
const SERVED_MS_MAX = 10_000;

let own: OwnEngine;
let setup: PlatformWithGit;
let platform: Platform;
let version = 0;

beforeAll(async () => {
  own = await startOwnEngine({ images: ["node:22-slim", "postgres:16"], reachable: true });
  const agent = { DOCKER_HOST: own.host, SVC_ADDRESS_BLOCK: own.block, SVC_ISOLATION: "off", SVC_BUILD_CAPS: "off" };
  setup = await startPlatformWithGit({ agent });
  platform = setup.platform;
  for (const name of ["shop", "stopped"]) {
    await setup.createApp(name, nextVersion(), { needs_database: true });
    expect((await platform.deploy(name)).deploy).toMatchObject({ status: "success" });
  }
  expect((await platform.api("POST", "/api/apps/stopped/action", { action: "stop" })).status).toBe(200);
  await sql("CREATE TABLE kept (note text); INSERT INTO kept VALUES ('a row');");
});
afterAll(async () => {
  await setup?.stop();
  await own?.stop();
});

/** This is long enough that a process which nobody ends is still there. */
const BUILD_MS = 5_000;
const START_MS = 3_000;

/** Builds slowly where the fault comes while it builds, and starts slowly where it comes while it starts. */
function nextVersion(step?: StepName): Files {
  const answer = JSON.stringify(`version ${++version}`);
  const buildMs = step === "clone_build" ? BUILD_MS : 0;
  const startMs = step === "deploy_container" ? START_MS : 0;
  return {
    "package.json": JSON.stringify({
      name: "app",
      private: true,
      scripts: { start: "node server.js", build: "node build.js" },
    }),
    "build.js": `console.log("building " + ${answer}); setTimeout(() => {}, ${buildMs});`,
    "server.js": `const server = require("node:http").createServer((_req, res) => res.end(${answer}));
setTimeout(() => server.listen(process.env.PORT, "0.0.0.0"), ${startMs});`,
  };
}

async function containers(app: string, role: "app" | "database") {
  return own.docker.listContainers({ all: true, filters: labelFilter({ [LABEL_APP_NAME]: app, [LABEL_ROLE]: role }) });
}

async function sql(statement: string): Promise<string> {
  const [database] = await containers("shop", "database");
  const options = [...PSQL_ARGV, "--tuples-only", "--no-align", "--command", statement];
  const { stdout } = await run("docker", ["-H", own.host, "exec", database!.Id, ...options]);
  return stdout.trim();
}

/** The proxy has no certificate at hand in its first moments. */
const answered = (app: string): Promise<string> => platform.fetchApp(app).then(({ body }) => body, String);

/** The row that was stored before any fault. A database that starts up refuses the question. */
const keptRow = (): Promise<string> => sql("SELECT note FROM kept;").catch(String);

/** Everything that served does so again, and what was stopped stays so. */
async function expectServed(body: string): Promise<void> {
  const served = { deadlineMs: SERVED_MS_MAX, isPromised: true };
  await Promise.all([
    eventually(
      () => answered("shop"),
      (answer) => answer === body,
      { what: "the app serves", ...served },
    ),
    eventually(keptRow, (row) => row === "a row", { what: "the database serves", ...served }),
  ]);
  const states = async () =>
    Promise.all((["app", "database"] as const).map(async (role) => (await containers("stopped", role))[0]?.State));
  await eventually(states, (seen) => seen.join() === "exited,running", { what: "the stopped app has its database" });
}

async function startDeploy(step: StepName): Promise<Started> {
  const repository = await setup.git.repository(`shop-${version + 1}`, nextVersion(step));
  await platform.database.query("update apps set repo_url = $1 where name = 'shop'", [repository.url]);
  return { app: "shop", id: await askForDeploy("shop") };
}

/** Starts the deploy of an app that has no database yet, so that there is something to be done for it. */
async function startFirstDeploy(): Promise<Started> {
  const app = `fresh-${version + 1}`;
  await setup.createApp(app, nextVersion(), { needs_database: true });
  return { app, id: await askForDeploy(app) };
}

async function askForDeploy(app: string): Promise<string> {
  const { body } = await platform.api("POST", `/api/apps/${app}/deploy`, {});
  return (body as { deploy_id: string }).deploy_id;
}

interface Started {
  app: string;
  id: string;
}

interface Step {
  step: string;
  status: string;
  output?: string;
}

async function stepsOf(id: string): Promise<Step[]> {
  return ((await platform.api("GET", `/api/deploys/${id}`)).body as { steps: Step[] }).steps;
}

/** The step works on what the engine does for it. */
const isInside = {
  provision_db: async ({ app }) => (await containers(app, "database")).length > 0,
  clone_build: async ({ id }) => (await stepsOf(id))[1]!.output?.includes("building version") ?? false,
  deploy_container: async ({ id }) =>
    (await own.docker.listContainers({ filters: labelFilter({ [LABEL_DEPLOY]: id, [LABEL_ROLE]: "app" }) })).length > 0,
  proxy_route: async ({ id }) => (await stepsOf(id))[3]!.status === "running",
} as const satisfies Record<string, (started: Started) => Promise<boolean>>;
type StepName = keyof typeof isInside;
const STEPS = Object.keys(isInside) as StepName[];

/** Ends the engine, or all that runs, and starts it again; and the steps in which that is tried. */
const FAULTS: Readonly<Record<string, { steps: readonly StepName[]; happens: () => Promise<void> }>> = {
  "the engine is killed": {
    steps: ["clone_build", "deploy_container"],
    happens: async () => {
      await own.kill();
      await own.startAgain();
    },
  },
  "all that runs is killed, and the engine comes first": {
    steps: STEPS,
    happens: async () => {
      await endAll();
      await own.startAgain();
      await Promise.all([platform.agent.start(), platform.controlPlane.start()]);
    },
  },
  "all that runs is killed, and the engine comes last": {
    steps: STEPS,
    happens: async () => {
      const logged = (await readFile(platform.agent.log)).length;
      await endAll();
      const ready = [platform.controlPlane.start(), platform.agent.start()];
      const log = async () => (await readFile(platform.agent.log, "utf8")).slice(logged);
      const isAway = (text: string) => text.includes("the engine or the proxy does not answer");
      await eventually(log, isAway, { what: "the agent looks for the engine", deadlineMs: 30_000 });
      await own.startAgain();
      await Promise.all(ready);
    },
  },
};

async function endAll(): Promise<void> {
  await Promise.all([own.killAll(), platform.agent.stop("SIGKILL"), platform.controlPlane.stop("SIGKILL")]);
  await endProcessesOf(platform.agentDataDir);
}

describe.each(Object.entries(FAULTS))("%s", (_what, { steps, happens }) => {
  it("at rest: apps and databases serve within 10 s of its return", async () => {
    const body = await answered("shop");
    await happens();
    await expectServed(body);
  });

  it.each(steps)("in %s: what was live serves, and the deploy goes on to its success", async (step) => {
    const body = await answered("shop");
    const started = await (step === "provision_db" ? startFirstDeploy() : startDeploy(step));
    await eventually(() => isInside[step](started), Boolean, {
      what: `${step} works`,
      deadlineMs: 60_000,
      intervalMs: 5,
    });
    await happens();
    const expected = step === "provision_db" ? body : `version ${version}`;
    await eventually(
      () => answered("shop"),
      (answer) => answer === body || answer === expected,
      { what: "the app serves", deadlineMs: SERVED_MS_MAX, isPromised: true },
    );
    const { deploy } = await platform.deployEnd(started.id);
    expect({ status: deploy.status, error: deploy.error ?? null }).toEqual({ status: "success", error: null });
    expect(await answered(started.app)).toBe(`version ${version}`);
    await expectServed(expected);
    expect(await findOrphanedBuilds(own.dataDirectory)).toEqual([]);
  });
});

it("an app starts whose start the engine's end had cut off", async () => {
  const [app] = await containers("stopped", "app");
  // containerd leaves this of a task when it is killed at once after it has begun with it.
  const bundle = join(own.dataDirectory, "../run/containerd/daemon/io.containerd.runtime.v2.task/moby", app!.Id);
  await mkdir(join(bundle, "rootfs"), { recursive: true });
  await writeFile(join(bundle, "config.json"), "{}");
  await expect(own.docker.getContainer(app!.Id).start()).rejects.toThrow("file exists");
  expect(await platform.api("POST", "/api/apps/stopped/action", { action: "start" })).toMatchObject({ status: 200 });
  expect(await answered("stopped")).toBe("version 2");
});

it("one container and one database of each app are left", async () => {
  const { rows } = await platform.database.query("select name from apps order by name");
  const names = (rows as { name: string }[]).map(({ name }) => name);
  const left = (role: "app" | "database") =>
    Promise.all(names.map(async (name) => [name, (await containers(name, role)).length]));
  const one = names.map((name) => [name, 1]);
  expect(await left("database")).toEqual(one);
  // The former container is kept while a release is young.
  await eventually(
    () => left("app"),
    (seen) => isDeepStrictEqual(seen, one),
    { what: "nothing is left over", deadlineMs: 60_000 },
  );
});
