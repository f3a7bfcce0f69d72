import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { built, DeployingApi, type DeployedApp } from "../support/deploying-api.ts";
import { eventually } from "../support/eventually.ts";
import { startTestApi, type TestApi } from "../support/http.ts";

let http: TestApi;
let setup: DeployingApi;
let app: DeployedApp;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());
beforeEach(async () => {
  setup = await DeployingApi.start(http);
  app = await setup.addApp();
});
afterEach(() => setup.stopWorker());

const query = async (text: string, values: unknown[] = []) => (await http.database.query(text, values)).rows;
const rollbackRows = () =>
  query("select id, status, error from deploys where app_id = $1 and kind = 'rollback' order by seq", [app.id]);

/** What deploy_container was asked for last. */
function lastContainer() {
  const spec = setup.agent.requests.findLast((request) => request.step === Step.DEPLOY_CONTAINER)?.spec;
  if (spec?.case !== "deployContainer") throw new Error("no container was asked for");
  return spec.value;
}

const fails = (code: string, message: string) => ({ outcome: { case: "failure", value: { code, message } } }) as const;

async function untilRunning(call: string): Promise<void> {
  await eventually(
    () => setup.agent.calls,
    (calls) => calls.at(-1) === call,
    { what: call },
  );
}

describe("a rollback", () => {
  it("starts the image, port and environment of the release before, and builds nothing", async () => {
    await app.deploy("1", { env: { GREETING: "first" } });
    await app.deploy("2", { env: { GREETING: "second", NEW: "x" } });
    setup.agent.calls.length = 0;
    const { last_deployed_at } = await app.view();
    const reply = await app.rollback();
    expect([reply.status, reply.json]).toEqual([200, { status: "rolled_back" }]);
    await app.lockFreed();
    expect(setup.agent.calls).toEqual(["lock", "run DEPLOY_CONTAINER 1", "run PROXY_ROUTE 1", "release succeeded"]);
    expect(lastContainer()).toMatchObject({
      imageDigest: `sha256:${"1".repeat(64)}`,
      port: 3000,
      release: "v1",
      env: { GREETING: "first", PORT: "3000", SVC_APP: app.name, SVC_RELEASE: "v1", SVC_COMMIT_SHA: "1".repeat(40) },
    });
    expect(lastContainer().env["NEW"]).toBeUndefined();
    expect(await app.view()).toMatchObject({ status: "running", current_release: "v1", last_deployed_at });
    const [row] = await rollbackRows();
    const steps = await query("select status from deploy_steps where deploy_id = $1 order by step_order", [row!["id"]]);
    expect(steps.map(({ status }) => status)).toEqual(["skipped", "skipped", "success", "success"]);
  });

  it("is no deploy that anybody sees, and takes no release's name", async () => {
    await app.deploy("1");
    await app.deploy("2");
    await app.rollback();
    const [row] = await rollbackRows();
    expect(await app.listed()).toEqual(["v2", "v1"]);
    for (const path of [`/api/deploys/${row!["id"]}`, `/api/deploys/${row!["id"]}/events`]) {
      expect((await app.caller.call("GET", path)).status).toBe(404);
    }
    expect((await app.caller.call("POST", `/api/deploys/${row!["id"]}/cancel`)).status).toBe(404);
    await app.deploy("3");
    expect(await app.listed()).toEqual(["v3", "v2", "v1"]);
  });

  it("goes one further back each time; what it left behind is not gone back to", async () => {
    for (const image of ["1", "2", "3"]) await app.deploy(image);
    for (const expected of ["v2", "v1"]) {
      expect((await app.rollback()).status).toBe(200);
      expect((await app.view())["current_release"]).toBe(expected);
      await app.lockFreed();
    }
    const none = await app.rollback();
    expect([none.status, none.json["error"]]).toEqual([409, "no_previous_deploy"]);
    await app.deploy("4");
    expect((await app.view())["current_release"]).toBe("v4");
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("goes to the release that is named, also forward; the live one is answered without a run", async () => {
    for (const image of ["1", "2", "3"]) await app.deploy(image);
    for (const release of ["v1", "v3"]) {
      expect((await app.rollback({ release })).status).toBe(200);
      expect((await app.view())["current_release"]).toBe(release);
      await app.lockFreed();
    }
    const calls = setup.agent.calls.length;
    expect((await app.rollback({ release: "v3" })).json).toEqual({ status: "rolled_back" });
    expect(setup.agent.calls.length).toBe(calls);
  });

  it("passes over deploys that failed", async () => {
    await app.deploy("1");
    setup.agent.script(Step.DEPLOY_CONTAINER, fails("app_exited", "no"), {});
    await expect(app.deploy("2")).rejects.toThrow(/failed/);
    await app.lockFreed();
    const named = await app.rollback({ release: "v2" });
    expect([named.status, named.json["error"]]).toEqual([404, "not_found"]);
    expect((await app.rollback()).json["error"]).toBe("no_previous_deploy");
    await app.deploy("3");
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("tells what is wrong with a request", async () => {
    const never = await app.rollback();
    expect([never.status, never.json["error"]]).toEqual([409, "no_previous_deploy"]);
    await app.deploy("1");
    expect((await app.rollback()).json["error"]).toBe("no_previous_deploy");
    expect((await app.rollback({ release: "v9" })).status).toBe(404);
    for (const body of [{ release: "a b" }, { release: 1 }, { to: "v1" }, []]) {
      expect((await app.rollback(body)).status).toBe(400);
    }
    const other = await http.addCaller();
    expect((await other.call("POST", `/api/apps/${app.name}/rollback`)).status).toBe(404);
    const reader = await http.addCaller({ userId: app.caller.userId, scopes: ["deploys:read"] });
    const refused = await reader.call("POST", `/api/apps/${app.name}/rollback`);
    expect([refused.status, refused.json["error"]]).toEqual([403, "insufficient_scope"]);
  });

  it("brings a soft-stopped app back to what was live last, with its database", async () => {
    await query("update apps set needs_database = true where id = $1", [app.id]);
    await app.deploy("1");
    await app.deploy("2");
    await query("update apps set status = 'soft_stopped', current_release_id = null where id = $1", [app.id]);
    setup.agent.calls.length = 0;
    expect((await app.rollback()).status).toBe(200);
    expect(setup.agent.calls.slice(0, 3)).toEqual(["lock", "run PROVISION_DB 1", "run DEPLOY_CONTAINER 1"]);
    expect(await app.view()).toMatchObject({ status: "running", current_release: "v2" });
  });
});

describe("a rollback and the queue", () => {
  it("is refused while the app deploys, and refuses deploys while it runs", async () => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    await app.start();
    await untilRunning("run CLONE_BUILD 1");
    const refused = await app.rollback();
    expect([refused.status, refused.json["error"]]).toEqual([409, "deploy_in_progress"]);
    setup.agent.finish(Step.CLONE_BUILD);
    await eventually(app.listed.bind(app), (list) => list.length === 3, { what: "three deploys" });
    await eventually(
      () => app.view(),
      (view) => view["current_release"] === "v3",
      { what: "v3 is live" },
    );
    await app.lockFreed();

    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const rolling = app.rollback();
    await untilRunning("run DEPLOY_CONTAINER 1");
    for (const again of [await app.start(), await app.rollback()]) {
      expect([again.status, again.json["error"]]).toEqual([409, "deploy_in_progress"]);
    }
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    expect((await rolling).status).toBe(200);
  });

  it("never waits behind another app, whose own deploy waits for it", async () => {
    await app.deploy("1");
    await app.deploy("2");
    const other = await setup.addApp();
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" }, {});
    const rolling = app.rollback();
    await untilRunning("run DEPLOY_CONTAINER 1");
    expect((await other.start()).json).toEqual({ status: "queued" });
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    expect((await rolling).status).toBe(200);
    await eventually(
      () => other.view(),
      (view) => view["status"] === "running",
      { what: "the other app runs" },
    );
    await other.lockFreed();

    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    await other.start();
    await untilRunning("run CLONE_BUILD 1");
    const busy = await app.rollback({ release: "v2" });
    expect([busy.status, busy.json["error"]]).toEqual([409, "deploy_in_progress"]);
    setup.agent.finish(Step.CLONE_BUILD);
    await eventually(other.listed.bind(other), (list) => list.length === 2, { what: "it was listed" });
  });

  it("runs once when it is asked for many times at once, beside deploys", async () => {
    for (const image of ["1", "2", "3"]) await app.deploy(image);
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const asked = Array.from({ length: 6 }, () => app.rollback());
    await untilRunning("run DEPLOY_CONTAINER 1");
    const deploys = await Promise.all(Array.from({ length: 3 }, () => app.start()));
    expect(deploys.map((reply) => reply.status)).toEqual([409, 409, 409]);
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    const answers = (await Promise.all(asked)).map((reply) => reply.status);
    expect(answers.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await app.view())["current_release"]).toBe("v2");
  });

  it("says at once that the agent is away", async () => {
    await app.deploy("1");
    await app.deploy("2");
    setup.worker!.links.down(setup.serverId);
    http.links.linked.delete(setup.serverId);
    const away = await app.rollback();
    expect([away.status, away.json["error"]]).toEqual([503, "agent_away"]);
    expect(await rollbackRows()).toEqual([]);
  });
});

describe("a rollback that fails", () => {
  beforeEach(async () => {
    await app.deploy("1", { env: { TOKEN: "canary-of-the-first" } });
    await app.deploy("2", { env: {} });
    setup.agent.calls.length = 0;
  });

  it.each([
    [Step.DEPLOY_CONTAINER, ["undo DEPLOY_CONTAINER"]],
    [Step.PROXY_ROUTE, ["undo PROXY_ROUTE", "undo DEPLOY_CONTAINER"]],
  ])("at step %s takes back what it did, leaves what is live, and says why", async (step, undone) => {
    setup.agent.script(step, fails("app_not_listening", "It does not listen: printed canary-of-the-first."), {});
    const reply = await app.rollback();
    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({
      error: "app_not_listening",
      detail: "It does not listen: printed [REDACTED].",
    });
    expect(setup.agent.calls.filter((call) => call.startsWith("undo"))).toEqual(undone);
    expect(setup.agent.lockHolder).toBeUndefined();
    expect(await app.view()).toMatchObject({ status: "running", current_release: "v2" });
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("says that the image is gone", async () => {
    setup.agent.script(Step.DEPLOY_CONTAINER, fails("not_found", "The image sha256:11 is not on the server any more."));
    const reply = await app.rollback();
    expect([reply.status, reply.json["error"]]).toEqual([409, "release_image_gone"]);
    expect(reply.json["detail"]).toMatch(/last 5 images/);
  });

  it("keeps its reason when its worker dies before it could end it", async () => {
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const rolling = app.rollback();
    await untilRunning("run DEPLOY_CONTAINER 1");
    await setup.stopWorker();
    await query(
      `update deploy_steps set status = 'failed', error = 'It exited.', error_code = 'app_exited', finished_at = now()
       where step_name = 'deploy_container' and deploy_id = (select id from deploys where app_id = $1 and status = 'running')`,
      [app.id],
    );
    await setup.startWorker();
    const reply = await rolling;
    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: "app_exited", detail: "It exited." });
    expect((await app.view())["current_release"]).toBe("v2");
  });

  it("is canceled when it is asked to be, and what is live stays", async () => {
    setup.agent.script(Step.PROXY_ROUTE, { outcome: "hang" });
    const rolling = app.rollback();
    await untilRunning("run PROXY_ROUTE 1");
    const [row] = await rollbackRows();
    await query("update deploys set cancel_requested_at = now() where id = $1", [row!["id"]]);
    await query("select pg_notify('deploy_cancel', $1)", [row!["id"]]);
    const reply = await rolling;
    expect([reply.status, reply.json["error"]]).toEqual([409, "canceled"]);
    expect(await app.view()).toMatchObject({ status: "running", current_release: "v2" });
    expect(await rollbackRows()).toMatchObject([{ status: "canceled" }]);
  });
});

describe("a process that ends during a rollback", () => {
  it.each([
    ["run DEPLOY_CONTAINER 1", Step.DEPLOY_CONTAINER],
    ["run PROXY_ROUTE 1", Step.PROXY_ROUTE],
  ])("%s: another goes on with it, and the caller who waits hears of its end", async (call, step) => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(step, { outcome: "hang" });
    const rolling = app.rollback();
    await untilRunning(call);
    await setup.stopWorker();
    await setup.startWorker();
    setup.agent.finish(step);
    expect((await rolling).json).toEqual({ status: "rolled_back" });
    expect(setup.agent.calls.filter((one) => one === call)).toHaveLength(3);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("interrupted by a restart of the agent, the step runs once more, with the same image", async () => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: { case: "interrupted", value: {} } }, {});
    expect((await app.rollback()).status).toBe(200);
    expect(lastContainer().imageDigest).toBe(`sha256:${"1".repeat(64)}`);
  });
});

it("takes the port of its release", async () => {
  setup.agent.script(Step.CLONE_BUILD, built("1", 4000));
  await app.start();
  await eventually(
    () => app.view(),
    (view) => view["status"] === "running",
    { what: "v1 runs" },
  );
  await app.lockFreed();
  await app.deploy("2");
  expect((await app.rollback()).status).toBe(200);
  expect(lastContainer().port).toBe(4000);
  const route = setup.agent.requests.findLast((request) => request.step === Step.PROXY_ROUTE)!.spec;
  expect(route.case === "proxyRoute" && route.value.port).toBe(4000);
});
