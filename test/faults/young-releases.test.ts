import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeApp } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import {
  containerIdOf,
  containerStateOf,
  exiting,
  failing,
  restartsOf,
  startYoungReleases,
  type YoungReleases,
} from "../support/platform/young-releases.ts";

const run = promisify(execFile);
let world: YoungReleases;

beforeAll(async () => {
  world = await startYoungReleases();
});
afterAll(() => world?.stop());

test("a control plane that is killed meanwhile hears of it when it is back, once", async () => {
  const { second } = await world.goLive("unheard", exiting(3_000));
  await world.platform.controlPlane.stop("SIGKILL");
  await eventually(
    async () => (await world.platform.fetchApp("unheard")).body,
    (body) => body === "one",
    {
      what: "the release before serves",
      deadlineMs: 30_000,
    },
  );
  await world.platform.controlPlane.start();
  expect(await world.takenBack(second)).toMatchObject({ reason: "exited", exit_code: 3 });
  expect(await world.appOf("unheard")).toMatchObject({ status: "running", current_release: "v1" });
  const { rows } = await world.platform.database.query(
    `select 1 from deploys d join apps a on a.id = d.app_id where a.name = 'unheard' and d.kind = 'rollback'`,
  );
  expect(rows).toHaveLength(1);
});

test("an agent that is killed meanwhile takes back what has ended when it is back", async () => {
  const { second } = await world.goLive("orphan", exiting(4_000));
  await world.platform.agent.stop("SIGKILL");
  const restarts = () => restartsOf(second);
  await eventually(restarts, (count) => count > 0, { what: "the app has exited", deadlineMs: 30_000 });
  await world.platform.agent.start();
  expect(await world.takenBack(second)).toMatchObject({ reason: "exited", exit_code: 3 });
  expect((await world.platform.fetchApp("orphan")).body).toBe("one");
});

test("an app that a person stops or deploys anew within its probation is not taken back", async () => {
  const commit = await world.prepare("decided");
  const first = await world.deployed("decided");
  await commit(failing(0, ""));
  const second = await world.deployed("decided");
  expect((await world.platform.api("POST", "/api/apps/decided/action", { action: "stop" })).status).toBe(200);
  await eventually(
    () => containerStateOf(first),
    (state) => state === "",
    { what: "the container before it is removed" },
  );
  expect((await world.platform.fetchApp("decided")).status).toBe(503);
  expect((await world.platform.api("POST", "/api/apps/decided/action", { action: "start" })).status).toBe(200);
  expect((await world.platform.fetchApp("decided")).body).toBe("two");
  await commit(nodeApp('return "three"'));
  const third = await world.deployed("decided");
  await commit(nodeApp('return "four"'));
  await world.deployed("decided");
  // Two containers of an app at most.
  expect(await containerStateOf(second)).toBe("");
  expect(await containerStateOf(third)).toBe("running");
  expect((await world.platform.api("POST", "/api/apps/decided/rollback")).status).toBe(200);
  expect((await world.platform.fetchApp("decided")).body).toBe("three");
  expect((await world.platform.api("DELETE", "/api/apps/decided")).status).toBe(204);
  for (const id of [second, third]) expect(await world.deployOf(id)).not.toHaveProperty("taken_back");
});

test("a release whose container somebody restarts, or kills by hand, is not taken back", async () => {
  const [restarted, killed] = [
    await world.goLive("restarted", failing(0, "")),
    await world.goLive("killed", failing(0, "")),
  ];
  await run("docker", ["restart", "--time", "1", await containerIdOf(restarted.second)]);
  await run("docker", ["kill", await containerIdOf(killed.second)]);
  for (const [app, { first, second }] of Object.entries({ restarted, killed })) {
    // It goes when the probation is over, and nothing is taken back.
    const state = () => containerStateOf(first);
    await eventually(state, (seen) => seen === "", { what: "the container before it is removed", deadlineMs: 60_000 });
    const visited = () => world.platform.fetchApp(app);
    await eventually(visited, ({ body }) => body === "two", { what: "it serves again", deadlineMs: 30_000 });
    expect(await world.deployOf(second)).not.toHaveProperty("taken_back");
  }
});
