import { readFile } from "node:fs/promises";
import { labelFilter, LABEL_APP_NAME, LABEL_ROLE } from "@svc/agent/domain/labels.ts";
import { findOrphanedBuilds } from "@svc/agent/docker/orphaned-builds.ts";
import { PSQL_ARGV } from "@svc/agent/postgres/statements.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Files } from "../support/git-host.ts";
import { startOwnEngine, type OwnEngine } from "../support/own-engine.ts";
import type { Platform } from "../support/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform-with-git.ts";
import { endProcessesOf } from "../support/remove-host.ts";

const run = promisify(execFile);

/** Apart from the blocks of all other engines of this machine. */
const BLOCK = "10.224.0.0/16";
/** From the engine's return on. */
const SERVED_MS_MAX = 10_000;

let own: OwnEngine;
let setup: PlatformWithGit;
let platform: Platform;
let version = 0;

beforeAll(async () => {
  own = await startOwnEngine({ images: ["node:22-slim", "postgres:16"], reachable: BLOCK });
  const agent = { DOCKER_HOST: own.host, SVC_ADDRESS_BLOCK: BLOCK, SVC_ISOLATION: "off", SVC_BUILD_CAPS: "off" };
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

/** Long enough that a process which nobody ends is still there. */
const BUILD_MS = 5_000;

/** Builds and, but for the first ones, starts slowly. */
function nextVersion(): Files {
  const answer = JSON.stringify(`version ${++version}`);
  return {
    "package.json": JSON.stringify({
      name: "app",
      private: true,
      scripts: { start: "node server.js", build: "node build.js" },
    }),
    "build.js": `console.log("building " + ${answer}); setTimeout(() => {}, ${BUILD_MS});`,
    "server.js": `const server = require("node:http").createServer((_req, res) => res.end(${answer}));
setTimeout(() => server.listen(process.env.PORT, "0.0.0.0"), ${version > 2 ? 3000 : 0});`,
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

/** Everything that served does so again, and what was stopped stays so. */
async function expectServed(body: string): Promise<void> {
  await eventually(
    () => answered("shop"),
    (answer) => answer === body,
    { what: "the app serves", deadlineMs: SERVED_MS_MAX },
  );
  expect(await sql("SELECT note FROM kept;")).toBe("a row");
  const states = async () =>
    Promise.all((["app", "database"] as const).map(async (role) => (await containers("stopped", role))[0]?.State));
  await eventually(states, (seen) => seen.join() === "exited,running", { what: "the stopped app has its database" });
}

async function startDeploy(): Promise<string> {
  const repository = await setup.git.repository(`shop-${version + 1}`, nextVersion());
  await platform.database.query("update apps set repo_url = $1 where name = 'shop'", [repository.url]);
  const { body } = await platform.api("POST", "/api/apps/shop/deploy", {});
  return (body as { deploy_id: string }).deploy_id;
}

/** The step works on what the engine does for it. */
const isInside: Readonly<Record<"clone_build" | "deploy_container", (deployId: string) => Promise<boolean>>> = {
  clone_build: async (id) => {
    const { body } = await platform.api("GET", `/api/deploys/${id}`);
    return (body as { steps: { output?: string }[] }).steps[1]!.output?.includes("building version") ?? false;
  },
  deploy_container: async () => (await containers("shop", "app")).filter(({ State }) => State === "running").length > 1,
};

/** Ends the engine, or all that runs here but the control plane, and starts it again. */
const FAULTS = {
  "the engine is killed": async () => {
    await own.kill();
    await own.startAgain();
  },
  "the host loses its power, and the engine comes first": async () => {
    await endHost();
    await own.startAgain();
    await platform.agent.start();
  },
  "the host loses its power, and the agent comes first": async () => {
    const logged = (await readFile(platform.agent.log)).length;
    await endHost();
    const agentReady = platform.agent.start();
    const log = async () => (await readFile(platform.agent.log, "utf8")).slice(logged);
    const isAway = (text: string) => text.includes("the engine or the proxy does not answer");
    await eventually(log, isAway, { what: "the agent looks for the engine", deadlineMs: 30_000 });
    await own.startAgain();
    await agentReady;
  },
};

async function endHost(): Promise<void> {
  await Promise.all([own.killAll(), platform.agent.stop("SIGKILL")]);
  await endProcessesOf(platform.agentDataDir);
}

describe.each(Object.entries(FAULTS))("%s", (_what, happens) => {
  it("at rest: apps and databases serve within 10 s of its return", async () => {
    const body = await answered("shop");
    await happens();
    await expectServed(body);
  });

  it.each(["clone_build", "deploy_container"] as const)(
    "in %s: what was live serves, and the deploy goes on to its success",
    async (step) => {
      const body = await answered("shop");
      const id = await startDeploy();
      await eventually(() => isInside[step](id), Boolean, { what: `${step} works`, deadlineMs: 60_000 });
      await happens();
      const seen: string[] = [body, `version ${version}`];
      await eventually(
        () => answered("shop"),
        (answer) => seen.includes(answer),
        { what: "the app serves", deadlineMs: SERVED_MS_MAX },
      );
      const { deploy, steps } = await platform.deployEnd(id);
      expect({ ...deploy, steps }).toMatchObject({ status: "success" });
      await expectServed(`version ${version}`);
      expect(await findOrphanedBuilds(own.dataDirectory)).toEqual([]);
      await eventually(
        () => containers("shop", "app"),
        (left) => left.length === 1,
        { what: "nothing is left over", deadlineMs: 60_000 },
      );
    },
  );
});
