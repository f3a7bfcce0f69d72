import { describe, expect } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { failed } from "../../support/api/deploying-api.ts";
import { deployingTest as it } from "../../support/api/deploying-test.ts";

describe("a rollback that fails", () => {
  it.beforeEach(async ({ setup, app }) => {
    await app.deploy("1", { env: { TOKEN: "canary-of-the-first" } });
    await app.deploy("2", { env: {} });
    setup.agent.calls.length = 0;
  });

  it.for<[Step, string[]]>([
    [Step.DEPLOY_CONTAINER, ["undo DEPLOY_CONTAINER"]],
    [Step.PROXY_ROUTE, ["undo PROXY_ROUTE", "undo DEPLOY_CONTAINER"]],
  ])("at step %s takes back what it did, leaves what is live, and says why", async ([step, undone], { setup, app }) => {
    setup.agent.script(step, failed("app_not_listening", "It does not listen: printed canary-of-the-first."), {});
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

  it("says that the image is gone", async ({ setup, app }) => {
    setup.agent.script(
      Step.DEPLOY_CONTAINER,
      failed("not_found", "The image sha256:11 is not on the server any more."),
    );
    const reply = await app.rollback();
    expect([reply.status, reply.json["error"]]).toEqual([409, "release_image_gone"]);
    expect(reply.json["detail"]).toMatch(/last 5 releases/);
  });

  it("keeps its reason when its worker dies before it could end it", async ({ http, setup, app }) => {
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
    const rolling = app.rollback();
    await setup.untilCalled("run DEPLOY_CONTAINER 1");
    await setup.stopWorker();
    await http.database.query(
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

  it("is canceled when it is asked to be, and what is live stays", async ({ http, setup, app }) => {
    setup.agent.script(Step.PROXY_ROUTE, { outcome: "hang" });
    const rolling = app.rollback();
    await setup.untilCalled("run PROXY_ROUTE 1");
    const [row] = await app.rollbackRows();
    await http.database.query("update deploys set cancel_requested_at = now() where id = $1", [row!["id"]]);
    await http.database.query("select pg_notify('deploy_cancel', $1)", [row!["id"]]);
    const reply = await rolling;
    expect([reply.status, reply.json["error"]]).toEqual([409, "canceled"]);
    expect(await app.view()).toMatchObject({ status: "running", current_release: "v2" });
    expect(await app.rollbackRows()).toMatchObject([{ status: "canceled" }]);
  });
});

describe("a process that ends during a rollback", () => {
  it.for<[string, Step]>([
    ["run DEPLOY_CONTAINER 1", Step.DEPLOY_CONTAINER],
    ["run PROXY_ROUTE 1", Step.PROXY_ROUTE],
  ])("%s: another goes on with it, and the caller who waits hears of its end", async ([call, step], { setup, app }) => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(step, { outcome: "hang" });
    const rolling = app.rollback();
    await setup.untilCalled(call);
    await setup.stopWorker();
    await setup.startWorker();
    setup.agent.finish(step);
    expect((await rolling).json).toEqual({ status: "rolled_back" });
    expect(setup.agent.calls.filter((one) => one === call)).toHaveLength(3);
    expect((await app.view())["current_release"]).toBe("v1");
  });

  it("interrupted by a restart of the agent, the step runs once more, with the same image", async ({ setup, app }) => {
    await app.deploy("1");
    await app.deploy("2");
    setup.agent.script(Step.DEPLOY_CONTAINER, { outcome: { case: "interrupted", value: {} } }, {});
    expect((await app.rollback()).status).toBe(200);
    expect(setup.lastContainer().imageDigest).toBe(`sha256:${"1".repeat(64)}`);
  });
});
