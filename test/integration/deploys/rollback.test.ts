import { describe, expect } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { fromEnvVars } from "../../support/api/env-vars.ts";
import { built, failed } from "../../support/api/deploying-api.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { deployingTest as it } from "../../support/api/deploying-test.ts";
import { promise } from "../../support/promises/promise.ts";

describe("a rollback", () => {
  it("starts the image, port and environment of the release before, and builds nothing", async ({
    query,
    setup,
    app,
  }) => {
    promise("rollback", "a rollback is answered as rolled_back", "a rollback starts the image of the release before");
    await app.deploy("1", { env: { GREETING: "first" } });
    await app.deploy("2", { env: { GREETING: "second", NEW: "x" } });
    setup.agent.calls.length = 0;
    const { last_deployed_at } = await app.view();
    const reply = await app.rollback();
    expect([reply.status, reply.json]).toEqual([200, { status: "rolled_back" }]);
    await app.lockFreed();
    expect(setup.agent.callsUntilRelease()).toEqual([
      "lock",
      "run DEPLOY_CONTAINER 1",
      "run PROXY_ROUTE 1",
      "release succeeded",
    ]);
    const { env, ...container } = setup.lastContainer();
    expect({ ...container, env: fromEnvVars(env) }).toMatchObject({
      imageDigest: `sha256:${"1".repeat(64)}`,
      port: 3000,
      release: "v1",
      env: { GREETING: "first", PORT: "3000", SVC_APP: app.name, SVC_RELEASE: "v1", SVC_COMMIT_SHA: "1".repeat(40) },
    });
    expect(fromEnvVars(env)["NEW"]).toBeUndefined();
    // The rollback is no deploy.
    const last_deploy = { release: "v2", status: "success", taken_back: false, finished_at: last_deployed_at };
    expect(await app.view()).toMatchObject({
      status: "running",
      current_release: "v1",
      last_deployed_at,
      last_deploy,
    });
    const [row] = await app.rollbackRows();
    const steps = await query("select status from deploy_steps where deploy_id = $1 order by step_order", [row!["id"]]);
    expect(steps.map(({ status }) => status)).toEqual(["skipped", "skipped", "success", "success"]);
    // A release that was left does not come back by itself.
    const switches = setup.agent.requests.flatMap(({ spec }) =>
      spec.case === "proxyRoute" ? [spec.value.watched] : [],
    );
    expect(switches).toEqual([true, true, false]);
  });

  it("is no deploy that anybody sees, and takes no release's name", async ({ app }) => {
    await app.deploy("1");
    await app.deploy("2");
    await app.rollback();
    const [row] = await app.rollbackRows();
    expect(await app.listed()).toEqual(["v2", "v1"]);
    for (const path of [`/api/deploys/${row!["id"]}`, `/api/deploys/${row!["id"]}/events`]) {
      expect((await app.caller.call("GET", path)).status).toBe(404);
    }
    expect((await app.caller.call("POST", `/api/deploys/${row!["id"]}/cancel`)).status).toBe(404);
    await app.deploy("3");
    expect(await app.listed()).toEqual(["v3", "v2", "v1"]);
  });

  it("goes one further back each time; what it left behind is not gone back to", async ({ app }) => {
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

  it("goes to the release that is named, also forward; the live one is answered without a run", async ({
    setup,
    app,
  }) => {
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

  it("passes over deploys that failed", async ({ setup, app }) => {
    await app.deploy("1");
    setup.agent.script(Step.DEPLOY_CONTAINER, failed("app_exited", "no"), {});
    await expect(app.deploy("2")).rejects.toThrow(/failed/);
    await app.lockFreed();
    const named = await app.rollback({ release: "v2" });
    expect([named.status, named.json["error"]]).toEqual([404, "not_found"]);
    expect((await app.rollback()).json["error"]).toBe("no_previous_deploy");
    await app.deploy("3");
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("tells what is wrong with a request", async ({ http, app }) => {
    promise(
      "rollback",
      "an app that has no successful deploy to go back to is refused a rollback with 409",
      "a rollback of an app that is not there is answered with 404",
    );
    const never = await app.rollback();
    expect([never.status, never.json["error"]]).toEqual([409, "no_previous_deploy"]);
    await app.deploy("1");
    expect((await app.rollback()).json["error"]).toBe("no_previous_deploy");
    expect((await app.rollback({ release: "v9" })).status).toBe(404);
    for (const body of [{ release: "a\tb" }, { release: 1 }, { to: "v1" }, []]) {
      expect((await app.rollback(body)).status).toBe(400);
    }
    const other = await http.addCaller();
    expect((await other.call("POST", `/api/apps/${app.name}/rollback`)).status).toBe(404);
    const reader = await http.addCaller({ userId: app.caller.userId, scopes: ["deploys:read"] });
    const refused = await reader.call("POST", `/api/apps/${app.name}/rollback`);
    expect([refused.status, refused.json["error"]]).toEqual([403, "insufficient_scope"]);
  });

  it("brings a soft-stopped app back to what was live last, with its database", async ({ query, setup, app }) => {
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
  it("is refused while the app deploys, and refuses deploys while it runs", async ({ setup, app }) => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    await app.start();
    await setup.untilCalled("run CLONE_BUILD 1");
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
    await setup.untilCalled("run DEPLOY_CONTAINER 1");
    for (const again of [await app.start(), await app.rollback()]) {
      expect([again.status, again.json["error"]]).toEqual([409, "deploy_in_progress"]);
    }
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    expect((await rolling).status).toBe(200);
  });

  it("runs beside another app's deploy, and another app's deploy beside it; neither waits", async ({ setup, app }) => {
    await app.deploy("1");
    await app.deploy("2");
    const [other, queued] = [await setup.addApp(), await setup.addApp()];
    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    const deploying = await other.start();
    await setup.untilCalled("run CLONE_BUILD 1");
    expect((await queued.start()).json).toEqual({ status: "queued" });
    expect((await app.rollback()).json).toEqual({ status: "rolled_back" });
    expect((await app.view())["current_release"]).toBe("v1");
    expect(setup.agent.lockHolder?.deployId).toBe(deploying.json["deploy_id"]);

    setup.agent.script(Step.CLONE_BUILD, built("3"));
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" }, {});
    const rolling = app.rollback({ release: "v2" });
    await setup.untilCalled("run DEPLOY_CONTAINER 1");
    setup.agent.finish(Step.CLONE_BUILD);
    for (const each of [other, queued]) {
      await eventually(
        () => each.view(),
        (view) => view["status"] === "running",
        { what: "the other app runs" },
      );
    }
    expect(await app.rollbackRows()).toMatchObject([{ status: "success" }, { status: "running" }]);
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    expect((await rolling).status).toBe(200);
    await app.lockFreed();
  });

  it("of several apps run at once", async ({ setup, app }) => {
    const apps = [app, await setup.addApp(), await setup.addApp()];
    for (const each of apps) for (const image of ["1", "2"]) await each.deploy(image);
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const rolling = apps.map((each) => each.rollback());
    await eventually(
      () => setup.agent.rollbacks.size,
      (running) => running === 3,
      { what: "three rollbacks run" },
    );
    // Each is attached before its step can be ended.
    await eventually(
      () => setup.agent.attached,
      (attached) => attached >= 3,
      { what: "three steps run" },
    );
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    expect((await Promise.all(rolling)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("runs once when it is asked for many times at once, beside deploys", async ({ setup, app }) => {
    for (const image of ["1", "2", "3"]) await app.deploy(image);
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const asked = Array.from({ length: 6 }, () => app.rollback());
    await setup.untilCalled("run DEPLOY_CONTAINER 1");
    const deploys = await Promise.all(Array.from({ length: 3 }, () => app.start()));
    expect(deploys.map((reply) => reply.status)).toEqual([409, 409, 409]);
    setup.agent.finish(Step.DEPLOY_CONTAINER);
    const answers = (await Promise.all(asked)).map((reply) => reply.status);
    expect(answers.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await app.view())["current_release"]).toBe("v2");
  });

  it("says at once that the agent is away", async ({ http, setup, app }) => {
    await app.deploy("1");
    await app.deploy("2");
    setup.worker!.links.down(setup.serverId);
    http.links.linked.delete(setup.serverId);
    const away = await app.rollback();
    expect([away.status, away.json["error"]]).toEqual([503, "agent_away"]);
    expect(await app.rollbackRows()).toEqual([]);
  });
});

it("a rollback takes the port of its release", async ({ setup, app }) => {
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
  expect(setup.lastContainer().port).toBe(4000);
  const route = setup.agent.requests.findLast((request) => request.step === Step.PROXY_ROUTE)!.spec;
  expect(route.case === "proxyRoute" && route.value.port).toBe(4000);
});
