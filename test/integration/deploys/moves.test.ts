import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { cancelMove } from "@svc/control-plane/deploys/moves/cancel-move.ts";
import { startMove } from "@svc/control-plane/deploys/moves/start-move.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { noteAppStatus } from "@svc/control-plane/deploys/note-app-status.ts";
import { inTransaction } from "@svc/control-plane/platform/database/database.ts";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { ScriptedAgent } from "../../support/agent/scripted-agent.ts";
import { DeployingApi, type DeployedApp } from "../../support/api/deploying-api.ts";
import { startTestApi, type TestApi } from "../../support/api/http.ts";
import { appRow, deployEnd } from "../../support/api/pipeline.ts";
import { eventually } from "../../support/tools/eventually.ts";

let http: TestApi;
let setup: DeployingApi;
let app: DeployedApp;
/** The server that the app goes to. */
let target: { id: string; name: string; agent: ScriptedAgent };

beforeAll(async () => {
  http = await startTestApi();
});
afterAll(() => http?.stop());
beforeEach(async () => {
  setup = await DeployingApi.start(http);
  app = await setup.addApp();
  await app.deploy("a");
  setup.agent.calls.length = 0;
  await http.database.query("update teams set pools = '{default}' where id = $1", [app.caller.userId]);
  const name = `target-${randomUUID().slice(0, 8)}`;
  target = { id: await http.addServer(name), name, agent: new ScriptedAgent() };
  setup.worker!.links.up(target.id, target.agent);
});
afterEach(() => setup.stopWorker());

const move = () => app.caller.call("POST", `/api/apps/${app.name}/move`, { server: target.name });
const giveUp = () => app.caller.call("DELETE", `/api/apps/${app.name}/move`);
const end = (id: string) => deployEnd(http.database.db, id);
const home = async () => (await appRow(http.database.db, app.id)).server_id;

/** Begins a move whose other server hangs in that step. @returns the move's id */
async function movingAt(step: Step, call: string): Promise<string> {
  target.agent.script(step, { outcome: "hang" });
  const { status, json } = await move();
  expect(status).toBe(202);
  await eventually(
    () => target.agent.calls,
    (calls) => calls.at(-1) === call,
    { what: call },
  );
  return (json["move"] as { id: string }).id;
}

describe("a move that its owner gives up", () => {
  it("before the other server is led to: the app serves again where it was, and its copy is removed", async () => {
    const id = await movingAt(Step.DEPLOY_CONTAINER, "run DEPLOY_CONTAINER 1");
    const busy = { status: 409, json: { error: "deploy_in_progress" } };
    expect([await move(), await app.start()]).toMatchObject([busy, busy]);
    expect(await giveUp()).toMatchObject({ status: 202, json: { move: { id, status: "running" } } });
    expect(await end(id)).toMatchObject({ status: "canceled" });
    expect(await giveUp()).toMatchObject({ status: 409, json: { error: "deploy_finished" } });
    expect(setup.agent.calls).toEqual(["lock", "stop", "start", "release"]);
    expect(target.agent.calls).toEqual([
      "lock",
      "run DEPLOY_CONTAINER 1",
      "cancel",
      "cancel",
      "undo DEPLOY_CONTAINER",
      "remove",
      "release",
    ]);
    expect(await home()).toBe(setup.serverId);
  });

  it("after that: is told that it is too late, and the app has moved", async () => {
    const id = await movingAt(Step.PROXY_ROUTE, "run PROXY_ROUTE 1");
    expect(await giveUp()).toMatchObject({ status: 409, json: { error: "deploy_finished" } });
    target.agent.finish(Step.PROXY_ROUTE);
    expect(await end(id)).toMatchObject({ status: "success", cancel_requested_at: null });
    expect(await home()).toBe(target.id);
  });
});

it("a move whose other server goes away ends by saying so, and the app serves again where it was", async () => {
  const id = await movingAt(Step.DEPLOY_CONTAINER, "run DEPLOY_CONTAINER 1");
  setup.worker!.links.down(target.id);
  const error = expect.stringContaining(`The agent of the server that the app goes to could not be reached`);
  expect(await end(id)).toMatchObject({ status: "failed", error_code: "agent_away", error });
  expect(setup.agent.calls).toEqual(["lock", "stop", "start"]);
  expect(await home()).toBe(setup.serverId);
});

it("a move between servers that two processes have the links of is refused before the app is touched", async () => {
  for (const id of [setup.serverId, target.id]) {
    const link = "update servers set link_process_id = $1, link_until = now() + interval '1 minute' where id = $2";
    await http.database.query(link, [randomUUID(), id]);
  }
  const { status, json } = await move();
  expect([status, json]).toMatchObject([
    503,
    { error: "agent_away", detail: expect.stringContaining("different processes of the control plane") },
  ]);
  expect(setup.agent.calls).toEqual([]);
});

it("an app that is purged while its move can't be taken back is removed from the other server as well, once that is back", async () => {
  const id = await movingAt(Step.DEPLOY_CONTAINER, "run DEPLOY_CONTAINER 1");
  setup.worker!.links.down(target.id);
  expect(await end(id)).toMatchObject({ status: "failed", error_code: "agent_away" });
  // What becomes of it where it lives is another matter.
  await app.caller.call("DELETE", `/api/apps/${app.name}?purge=1`);
  const { rows } = await http.database.query("select server_id, purge from app_removals where app_id = $1", [app.id]);
  expect(rows).toContainEqual({ server_id: target.id, purge: true });
});

it("a stop that ends while the app moves is what it is where it arrives", async () => {
  const id = await movingAt(Step.DEPLOY_CONTAINER, "run DEPLOY_CONTAINER 1");
  // As of a request that had asked the agent before the move began.
  await inTransaction(http.database.db, (tx) => noteAppStatus(tx, { id: app.id, status: "running" }, "stopped"));
  target.agent.finish(Step.DEPLOY_CONTAINER);
  expect(await end(id)).toMatchObject({ status: "success", former_app_status: "stopped" });
  expect(target.agent.calls).toContain("stop");
});

it("a move that an operator has begun is given up by operators alone", async () => {
  target.agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" });
  const asked = { app: await appRow(http.database.db, app.id), to: target.name, by: byCommand };
  const parts = { links: setup.worker!.links, clock: systemClock };
  const id = await inTransaction(http.database.db, (tx) => startMove(parts, tx, asked));
  const refused = {
    status: 403,
    json: { error: "insufficient_role", detail: expect.stringContaining("An operator moves") },
  };
  expect(await giveUp()).toMatchObject(refused);
  await inTransaction(http.database.db, (tx) => cancelMove(tx, asked.app, { by: byCommand, isOperator: true }));
  expect(await end(id)).toMatchObject({ status: "canceled" });
});

it("moves that begin together between the same servers wait for one another, and none fails", async () => {
  const others = await Promise.all(Array.from({ length: 4 }, () => setup.addApp()));
  for (const other of others) await other.deploy("a");
  for (const { caller } of others) {
    await http.database.query("update teams set pools = '{default}' where id = $1", [caller.userId]);
  }
  const answers = await Promise.all(
    others.map((other) => other.caller.call("POST", `/api/apps/${other.name}/move`, { server: target.name })),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  for (const { json } of answers)
    expect(await end((json["move"] as { id: string }).id)).toMatchObject({ status: "success" });
});
