import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { pipelineTiming, type PipelineTiming } from "@svc/control-plane/deploys/pipeline/context.ts";
import { DeployingApi, type DeployedApp } from "../../support/api/deploying-api.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { deployEnd, deployRow, stepRows } from "../../support/api/pipeline.ts";

/** A claim that is renewed so seldom that only a notification can bring a cancelation within a test. */
const SELDOM: PipelineTiming = { ...pipelineTiming, claimMs: 120_000, claimRenewMs: 60_000 };

let http: TestApi;
let setup: DeployingApi;
let app: DeployedApp;

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());
beforeEach(async () => {
  setup = await DeployingApi.start(http, SELDOM);
  app = await setup.addApp();
});
afterEach(() => setup.stopWorker());

const query = async (text: string, values: unknown[] = []) => (await http.database.query(text, values)).rows;
const cancel = (id: string, caller = app.caller) => caller.call("POST", `/api/deploys/${id}/cancel`);
const end = (id: string) => deployEnd(http.database.db, id, 5_000);
const statuses = async (id: string) => (await stepRows(http.database.db, id)).map((step) => step.status);
const openDeploy = async (one: DeployedApp) =>
  String((await query("select id from deploys where app_id = $1 order by seq desc limit 1", [one.id]))[0]!["id"]);

async function runningAt(step: Step, call: string): Promise<string> {
  setup.agent.script(step, { outcome: "hang" });
  const id = String((await app.start()).json["deploy_id"]);
  await setup.untilCalled(call);
  return id;
}

/** As if the notification were lost, and the worker's next look far away. */
const requestSilently = (id: string) => query("update deploys set cancel_requested_at = now() where id = $1", [id]);

describe("a running deploy", () => {
  it("is stopped as soon as it is asked for, and what it did is taken back before it says canceled", async () => {
    const id = await runningAt(Step.DEPLOY_CONTAINER, "run DEPLOY_CONTAINER 1");
    const reply = await cancel(id);
    expect([reply.status, reply.json]).toEqual([202, { deploy_id: id, status: "canceling" }]);
    expect(await end(id)).toMatchObject({ status: "canceled" });
    expect(await statuses(id)).toEqual(["skipped", "success", "canceled", "skipped"]);
    const undone = setup.agent.calls.filter((call) => call.startsWith("undo"));
    expect(undone).toEqual(["undo DEPLOY_CONTAINER", "undo CLONE_BUILD"]);
    expect(setup.agent.lockHolder).toBeUndefined();
    const shown = (await app.caller.call("GET", `/api/deploys/${id}`)).json["deploy"];
    expect(shown).toMatchObject({ status: "canceled" });
    expect(shown).not.toHaveProperty("error");
  });

  it("is stopped also when the agent is told before the call that starts the step has reached it", async () => {
    const { agent } = setup;
    agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    let told = 0;
    agent.onTheWay = async (step) => {
      if (step !== Step.CLONE_BUILD) return;
      await cancel(await openDeploy(app));
      await eventually(
        () => (told = agent.calls.filter((call) => call === "cancel").length),
        (times) => times > 0,
        { what: "the agent is told" },
      );
    };
    const id = String((await app.start()).json["deploy_id"]);
    expect(await end(id)).toMatchObject({ status: "canceled" });
    expect(told).toBe(1);
    expect(agent.calls.indexOf("cancel")).toBeLessThan(agent.calls.indexOf("run CLONE_BUILD 1"));
    expect(await statuses(id)).toEqual(["skipped", "canceled", "skipped", "skipped"]);
  });

  it("may be canceled again while it is being stopped, and not when it has ended", async () => {
    const id = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
    const replies = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    for (const reply of replies) expect([202, 409]).toContain(reply.status);
    expect(replies.some((reply) => reply.status === 202)).toBe(true);
    await end(id);
    const late = await cancel(id);
    expect([late.status, late.json["error"]]).toEqual([409, "deploy_finished"]);
    const noted = await query("select 1 from audit_log where action = 'deploy.cancel' and target = $1", [
      `deploy:${id}`,
    ]);
    expect(noted).toHaveLength(1);
  });

  it("is canceled although its last step succeeds meanwhile: the route is taken back", async () => {
    const id = await runningAt(Step.PROXY_ROUTE, "run PROXY_ROUTE 1");
    await requestSilently(id);
    setup.agent.finish(Step.PROXY_ROUTE);
    expect(await end(id)).toMatchObject({ status: "canceled" });
    expect(setup.agent.calls).toContain("undo PROXY_ROUTE");
    expect((await app.view())["current_release"]).toBeNull();
  });

  it("never becomes failed, although a step fails meanwhile", async () => {
    const id = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
    await requestSilently(id);
    setup.agent.finish(Step.CLONE_BUILD, { case: "failure", value: { code: "build_failed", message: "It broke." } });
    expect(await end(id)).toMatchObject({ status: "canceled" });
  });

  it("is canceled by the worker that takes it up, before it starts anything", async () => {
    await setup.stopWorker();
    const started = await app.start();
    const id = String(started.json["deploy_id"]);
    expect((await cancel(id)).json["status"]).toBe("canceling");
    await setup.startWorker();
    expect(await end(id)).toMatchObject({ status: "canceled" });
    expect(setup.agent.calls.filter((call) => call.startsWith("undo"))).toEqual(
      setup.agent.calls.some((call) => call.startsWith("run")) ? ["undo CLONE_BUILD"] : [],
    );
    expect(await statuses(id)).toContain("skipped");
  });

  it("is canceled, and not failed, when nobody can work on it any more", async () => {
    await setup.stopWorker();
    const id = String((await app.start()).json["deploy_id"]);
    await query(
      "update deploys set started_at = now() - interval '1 minute', attempt = 1, worker_id = $2 where id = $1",
      [id, randomUUID()],
    );
    await cancel(id);
    const elsewhere = await DeployingApi.start(http);
    try {
      expect(await end(id)).toMatchObject({ status: "canceled" });
    } finally {
      await elsewhere.stopWorker();
    }
  });
});

describe("a deploy that waits", () => {
  it("leaves no app running whose server was removed with its release", async () => {
    const waiting = await setup.addApp();
    await end(String((await waiting.start()).json["deploy_id"]));
    const running = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
    await waiting.start();
    // As `server remove --force` does to the apps of a server.
    await query("update apps set current_release_id = null where id = $1", [waiting.id]);
    await cancel(await openDeploy(waiting), waiting.caller);
    expect((await waiting.view())["status"]).toBe("failed");
    await cancel(running);
    await end(running);
  });

  async function queued(): Promise<{ waiting: DeployedApp; id: string; running: string }> {
    const running = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
    const waiting = await setup.addApp();
    expect((await waiting.start()).json).toEqual({ status: "queued" });
    return { waiting, id: await openDeploy(waiting), running };
  }

  it("is canceled at once and never runs", async () => {
    const { waiting, id, running } = await queued();
    const reply = await cancel(id, waiting.caller);
    expect([reply.status, reply.json]).toEqual([202, { deploy_id: id, status: "canceled" }]);
    const row = await deployRow(http.database.db, id);
    expect(row).toMatchObject({ status: "canceled", started_at: null });
    expect(await statuses(id)).toEqual(Array(4).fill("skipped"));
    await cancel(running);
    await end(running);
    expect(setup.agent.calls.filter((call) => call.startsWith("run"))).toEqual(["run CLONE_BUILD 1"]);
    expect((await cancel(id, waiting.caller)).json["error"]).toBe("deploy_finished");
    // Its place in the queue is free again.
    setup.agent.script(Step.CLONE_BUILD, {});
    expect((await waiting.start()).status).toBe(202);
    expect(await end(await openDeploy(waiting))).toMatchObject({ status: "success", release: "v2" });
  });

  it.each(["stopped", "soft_stopped", "failed", "running"])("leaves an app that was %s as it was", async (status) => {
    const waiting = await setup.addApp();
    const hasRelease = status === "running" || status === "stopped";
    if (hasRelease) await end(String((await waiting.start()).json["deploy_id"]));
    const running = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
    await query("update apps set status = $2 where id = $1", [waiting.id, status]);
    await waiting.start();
    await cancel(await openDeploy(waiting), waiting.caller);
    expect((await waiting.view())["status"]).toBe(status);
    await cancel(running);
    await end(running);
  });
});

it("an app whose first deploy is canceled has failed, whether the deploy waited or ran", async () => {
  const id = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
  const waiting = await setup.addApp();
  await waiting.start();
  await cancel(await openDeploy(waiting), waiting.caller);
  await cancel(id);
  await end(id);
  for (const one of [app, waiting]) expect((await one.view())["status"]).toBe("failed");
});

it("an app is deleted although it deploys: that is canceled first", async () => {
  const id = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
  await app.caller.call("DELETE", `/api/apps/${app.name}`);
  expect(await deployRow(http.database.db, id)).toMatchObject({ status: "canceled" });
  expect((await app.view())["status"]).toBe("soft_stopped");
});

it("nobody else's deploy can be canceled", async () => {
  const id = await runningAt(Step.CLONE_BUILD, "run CLONE_BUILD 1");
  const stranger = await http.addCaller();
  expect((await cancel(id, stranger)).status).toBe(404);
  const reader = await http.addCaller({ userId: app.caller.userId, scopes: ["deploys:read"] });
  expect((await cancel(id, reader)).json["error"]).toBe("insufficient_scope");
  for (const unknown of [randomUUID(), "x"]) expect((await cancel(unknown)).status).toBe(404);
  expect((await deployRow(http.database.db, id)).cancel_requested_at).toBeNull();
  await cancel(id);
  await end(id);
});

it("a 202 means canceled, at whatever moment it was asked for", async () => {
  for (let round = 0; round < 8; round++) {
    const fresh = await setup.addApp();
    setup.agent.script(Step.CLONE_BUILD, { lines: Array.from({ length: round * 4 }, (_, i) => `line ${i}`) });
    const id = String((await fresh.start()).json["deploy_id"]);
    await eventually(
      async () => (await deployRow(http.database.db, id)).event_count,
      (count) => Number(count) >= round,
      { what: `${round} events`, intervalMs: 1 },
    );
    const reply = await cancel(id, fresh.caller);
    const { status } = await end(id);
    expect([reply.status, status]).toEqual(reply.status === 202 ? [202, "canceled"] : [409, "success"]);
    await fresh.lockFreed();
  }
});
