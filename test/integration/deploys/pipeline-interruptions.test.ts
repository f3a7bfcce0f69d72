import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { sql } from "kysely";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { PipelinePolicy } from "@svc/control-plane/deploys/inputs/pipeline-policy.ts";
import { pipelineTiming } from "@svc/control-plane/deploys/pipeline/context.ts";
import { failAbandoned } from "@svc/control-plane/deploys/pipeline/recover.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startPresence } from "../../support/api/presence.ts";
import {
  addApp,
  addAppAndDeploy,
  addDeploy,
  addServer,
  deployEnd,
  deployRow,
  quickTiming,
  stepRows,
  type Worker,
} from "../../support/api/pipeline.ts";
import { pipelineTest as it } from "../../support/api/pipeline-test.ts";
import { ScriptedAgent } from "../../support/agent/scripted-agent.ts";

const requestCancel = (db: Db, deployId: string) =>
  db.updateTable("deploys").set({ cancel_requested_at: new Date() }).where("id", "=", deployId).execute();

/** As a process leaves it that died. */
const leftAnHourAgo = (db: Db, deployId: string, attempt = 1) =>
  db
    .updateTable("deploys")
    .set({
      status: "running",
      started_at: sql<Date>`now() - interval '1 hour'`,
      lease_until: sql<Date>`now() - interval '1 hour'`,
      attempt,
      worker_id: randomUUID(),
    })
    .where("id", "=", deployId)
    .execute();

/** As a deploy leaves it that failed while its agent was away. */
async function leftToUndo(db: Db, deployId: string): Promise<void> {
  await db
    .updateTable("deploy_steps")
    .set({ status: "failed", undo_registered_at: new Date() })
    .where("deploy_id", "=", deployId)
    .where("step_name", "in", ["clone_build", "deploy_container"])
    .execute();
  for (const end of [{ status: "running" as const }, { status: "failed" as const, finished_at: new Date() }]) {
    await db.updateTable("deploys").set(end).where("id", "=", deployId).execute();
  }
}

describe("a link that breaks", () => {
  it("loses no line and doubles none: the stream goes on after the last number", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { lines, breakAfter: 17 });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const step = (await stepRows(database.db, deployId))[1]!;
    expect(step.output).toBe(lines.join("\n"));
    expect(agent.requests.filter((one) => one.step === Step.CLONE_BUILD).map((one) => Number(one.afterEvent))).toEqual([
      0, 17,
    ]);
  });

  it("fails the deploy when the agent stays away, and takes its work back when the agent returns", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { lines: ["building"], outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    worker.links.down(serverId);
    const row = await deployEnd(database.db, deployId);
    expect(row.status).toBe("failed");
    expect(row.error).toMatch(/could not be reached/);
    expect(agent.calls).not.toContain("undo CLONE_BUILD");
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("release"),
      { what: "the lock is freed" },
    );
    expect(agent.calls).toContain("undo CLONE_BUILD");
    expect(agent.lockHolder).toBeUndefined();
  });

  it("does not take a silent step for an agent that is away, however long it is silent", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { lines: ["npm ci"], outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => stepRows(database.db, deployId),
      (rows) => rows[1]!.last_event_number === "1",
      { what: "a line" },
    );
    const silentSince = Date.now();
    await eventually(
      () => Date.now() - silentSince,
      (ms) => ms > quickTiming.agentAwayMs * 1.5,
      { what: "silence" },
    );
    agent.cut();
    await eventually(
      () => agent.requests.length,
      (length) => length === 2,
      { what: "it attaches again" },
    );
    expect((await deployRow(database.db, deployId)).status).toBe("running");
    await requestCancel(database.db, deployId);
    await deployEnd(database.db, deployId);
  });

  it("ends what a returned agent still runs of a failed deploy, and then serves the queue", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { lines: ["building"], outcome: "hang" }, {});
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    worker.links.down(serverId);
    expect((await deployEnd(database.db, deployId)).status).toBe("failed");
    const next = await addAppAndDeploy(database.db, { serverId });
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, next.deployId)).status).toBe("success");
    expect(agent.calls.indexOf("cancel")).toBeLessThan(agent.calls.indexOf("undo CLONE_BUILD"));
  });

  it("takes back what several deploys left, the newest first", async ({ database, worker, agent, serverId }) => {
    const left: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { deployId } = await addAppAndDeploy(database.db, { serverId });
      await leftToUndo(database.db, deployId);
      left.push(deployId);
    }
    worker.links.up(serverId, agent);
    const undone = await eventually(
      () => agent.undone,
      ({ length }) => length === 6,
      { what: "all of it is taken back" },
    );
    const ofDeploy = (deployId: string) => ["DEPLOY_CONTAINER", "CLONE_BUILD"].map((step) => `${deployId} ${step}`);
    expect(undone).toEqual(left.toReversed().flatMap(ofDeploy));
  });

  it("serves the queue although the agent's lock is held by a deploy that nobody knows", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    agent.lockHolder = { deployId: randomUUID(), attempt: 1 };
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    worker.links.up(serverId, agent);
    await eventually(
      () => deployRow(database.db, deployId),
      (row) => row.status === "running",
      { what: "it is claimed" },
    );
    agent.lockHolder = undefined; // its lease ends
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
  });

  it("leaves a deploy queued while its agent has never been there", async ({ database, worker, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    const other = await addServer(database.db);
    worker.links.up(other, new ScriptedAgent());
    const elsewhere = await addApp(database.db, { serverId: other });
    await deployEnd(database.db, await addDeploy(database.db, elsewhere, other));
    expect((await deployRow(database.db, deployId)).status).toBe("pending");
  });
});

describe("an agent that is linked and answers nothing", () => {
  it("fails what has begun, with the reason, and serves the queue when it answers again", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    agent.mute = true;
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    await leftAnHourAgo(database.db, deployId);
    const { deployId: next } = await addAppAndDeploy(database.db, { serverId });
    worker.links.up(serverId, agent);
    const row = await deployEnd(database.db, deployId, 20_000);
    expect(row).toMatchObject({ status: "failed", attempt: 2 });
    expect(row.error).toMatch(/agent .* could not be reached/);
    expect(await deployRow(database.db, next)).toMatchObject({ status: "pending" });
    agent.mute = false;
    expect(await deployEnd(database.db, next)).toMatchObject({ status: "success" });
  });

  it("keeps what it did not take back from being forgotten", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.DEPLOY_CONTAINER, { outcome: "hang" }, {});
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run DEPLOY_CONTAINER 1"),
      { what: "the container is started" },
    );
    agent.mute = true;
    agent.finish(Step.DEPLOY_CONTAINER, {
      case: "failure",
      value: { code: "app_not_listening", message: "It does not listen." },
    });
    expect((await deployEnd(database.db, deployId, 20_000)).status).toBe("failed");
    expect(agent.calls).not.toContain("undo DEPLOY_CONTAINER");
    agent.mute = false;
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("undo DEPLOY_CONTAINER"),
      { what: "it is taken back" },
    );
  });
});

describe("an agent that is restarted during a step", () => {
  const interrupted = { outcome: { case: "interrupted", value: {} } } as const;

  it("runs the step once more", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.DEPLOY_CONTAINER, interrupted, {});
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
    expect(agent.calls).toContain("run DEPLOY_CONTAINER 2");
  });

  it("fails the deploy with the reason when it happens twice", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.DEPLOY_CONTAINER, interrupted, interrupted);
    worker.links.up(serverId, agent);
    const row = await deployEnd(database.db, deployId);
    expect(row).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/restarted twice during deploy_container/),
    });
    expect(agent.calls).not.toContain("run DEPLOY_CONTAINER 3");
  });
});

describe("a process that ends during a deploy", () => {
  it("hands the deploy over at once when it stops in order", async ({
    database,
    worker,
    agent,
    serverId,
    startFurtherWorker,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { lines: ["a", "b"], outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => stepRows(database.db, deployId),
      (rows) => rows[1]!.last_event_number === "2",
      { what: "lines" },
    );
    await worker.stop();
    expect((await deployRow(database.db, deployId)).status).toBe("running");
    const next = await startFurtherWorker();
    next.links.up(serverId, agent);
    await eventually(
      () => agent.requests.length,
      (length) => length === 2,
      { what: "the next process attaches" },
    );
    expect(Number(agent.requests[1]!.afterEvent)).toBe(2);
    expect(agent.calls.filter((call) => call.startsWith("run"))).toEqual(["run CLONE_BUILD 1"]);
    await database.db
      .updateTable("deploys")
      .set({ cancel_requested_at: new Date() })
      .where("id", "=", deployId)
      .execute();
    await deployEnd(database.db, deployId);
  });

  it("loses its claim to the next one, and writes nothing more", async ({
    database,
    worker,
    agent,
    serverId,
    startFurtherWorker,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    // As a process does that was frozen for longer than its claim stands.
    const next = await startPresence(database.url);
    await database.db
      .updateTable("deploys")
      .set({
        worker_id: next.processId,
        attempt: sql<number>`attempt + 1`,
        lease_until: sql<Date>`now() + interval '1 hour'`,
      })
      .where("id", "=", deployId)
      .execute();
    await eventually(
      () => agent.requests,
      (requests) => requests.length === 1,
      { what: "one request" },
    );
    const before = await deployRow(database.db, deployId);
    await agent.client().cancelDeploy({ lock: { deployId, attempt: 9 } });
    await worker.stop();
    await startFurtherWorker();
    expect(await deployRow(database.db, deployId)).toEqual(before);
    await database.db.deleteFrom("deploys").where("id", "=", deployId).execute();
    await next.end();
  });

  it("leaves no deploy running for ever when nobody can go on: it is failed", async ({ database, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    await leftAnHourAgo(database.db, deployId);
    const row = await deployEnd(database.db, deployId);
    expect(row.status).toBe("failed");
    expect(row.error).toMatch(/agent .* away/);
  });

  it("fails a deploy that nobody has begun in time, and does not blame its agent for it", async ({
    database,
    worker,
    agent,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId: await addServer(database.db) });
    await worker.stop();
    await leftAnHourAgo(database.db, deployId, 0);
    const links = { agent: () => agent.client() } as unknown as Worker["links"];
    const policy = { appsDomain: "apps.test", appsHttpsPort: 443 } as PipelinePolicy;
    await failAbandoned({ db: database.db, links, timing: quickTiming, policy }, randomUUID());
    const { status, error } = await deployRow(database.db, deployId);
    expect(status).toBe("failed");
    expect(error).toMatch(/not begun in time, and nothing of it has run/);
  });

  it("leaves no deploy that its agent could go on with to fail, however long it had no worker", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    worker.links.up(serverId, agent);
    // From the end of this one on, the worker looks for what is left.
    const other = await addAppAndDeploy(database.db, { serverId: await addServer(database.db) });
    await leftAnHourAgo(database.db, other.deployId);
    await deployEnd(database.db, other.deployId);
    for (let i = 0; i < 3; i += 1) {
      const { deployId } = await addAppAndDeploy(database.db, { serverId });
      await leftAnHourAgo(database.db, deployId);
      expect(await deployEnd(database.db, deployId)).toMatchObject({ status: "success", error: null });
    }
  });
});

it("no deploy is without a worker for more than 60 s, by the pipeline's own figures", () => {
  const { claimMs, abandonedMs, pollMs } = pipelineTiming;
  expect(claimMs + abandonedMs + pollMs).toBeLessThan(60_000);
});

it("the pipeline waits five minutes for an agent that is away, by its own figures", () => {
  expect(pipelineTiming.agentAwayMs).toBe(5 * 60_000);
});
