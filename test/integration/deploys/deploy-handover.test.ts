import { sql } from "kysely";
import { describe, expect } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { addAppAndDeploy, addServer, deployEnd, deployRow, quickTiming, stepRows } from "../../support/api/pipeline.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { startPresence } from "../../support/api/presence.ts";
import { pipelineTest } from "../../support/api/pipeline-test.ts";
import { ScriptedAgent } from "../../support/agent/scripted-agent.ts";

/** A lease that no test outlives. */
const patientTiming = { ...quickTiming, claimMs: 60_000, claimRenewMs: 30_000, agentAwayMs: 60_000 };
const it = pipelineTest.extend("timing", () => patientTiming);

const leaseFor = (db: Db, deployId: string, workerId: string) =>
  db
    .updateTable("deploys")
    .set({
      status: "running",
      started_at: sql<Date>`now()`,
      lease_until: sql<Date>`now() + interval '1 hour'`,
      attempt: 1,
      worker_id: workerId,
    })
    .where("id", "=", deployId)
    .execute();

async function leaseLeft(db: Db, deployId: string): Promise<number> {
  const { lease_until } = await deployRow(db, deployId);
  return lease_until!.getTime() - Date.now();
}

describe("the worker of a deploy", () => {
  it("is not waited for once it was killed, whatever lease it had", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    const killed = await startPresence(database.url);
    await leaseFor(database.db, deployId, killed.processId);
    worker.links.up(serverId, agent);
    // The worker has looked at least once whether it lives.
    const other = await addServer(database.db);
    worker.links.up(other, new ScriptedAgent());
    await deployEnd(database.db, (await addAppAndDeploy(database.db, { serverId: other })).deployId);
    expect(await deployRow(database.db, deployId)).toMatchObject({ status: "running", attempt: 1 });
    await killed.end();
    expect(await deployEnd(database.db, deployId, 3_000)).toMatchObject({ status: "success", attempt: 2 });
  });

  it("is waited for while its server's agent is there, and not once that has gone over to another process", async ({
    database,
    worker,
    agent,
    serverId,
    startFurtherWorker,
  }) => {
    const second = await startFurtherWorker();
    try {
      const { deployId } = await addAppAndDeploy(database.db, { serverId });
      agent.script(Step.CLONE_BUILD, { lines: ["building"], outcome: "hang" });
      worker.links.up(serverId, agent);
      await eventually(
        () => stepRows(database.db, deployId),
        (rows) => rows[1]!.last_event_number === "1",
        { what: "a line" },
      );
      second.links.up(serverId, agent);
      await eventually(
        () => leaseLeft(database.db, deployId),
        (ms) => ms < patientTiming.claimMs - 300,
        { what: "the second process has looked" },
      );
      expect(await deployRow(database.db, deployId)).toMatchObject({ attempt: 1 });
      agent.cut();
      worker.links.down(serverId);
      await eventually(
        () => deployRow(database.db, deployId),
        ({ attempt }) => attempt === 2,
        { what: "the second process goes on", deadlineMs: 2_000 },
      );
      await eventually(
        () => agent.requests.map(({ afterEvent }) => Number(afterEvent)),
        (after) => after.length === 2 && after[1] === 1,
        { what: "it attaches after the last line" },
      );
      agent.finish(Step.CLONE_BUILD);
      expect(await deployEnd(database.db, deployId)).toMatchObject({ status: "success", attempt: 2 });
      expect(agent.calls.filter((call) => call.startsWith("run CLONE_BUILD"))).toEqual(["run CLONE_BUILD 1"]);
    } finally {
      await second.stop();
    }
  });
});
