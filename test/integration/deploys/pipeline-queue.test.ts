import { describe, expect } from "vitest";
import { NEXT_STATUSES, DEPLOY_STATUSES, isTerminal, type DeployStatus } from "@svc/control-plane/deploys/deploy.ts";
import {
  addApp,
  addAppAndDeploy,
  addDeploy,
  addServer,
  appRow,
  deployEnd,
  deployRow,
} from "../../support/api/pipeline.ts";
import { pipelineTest as it } from "../../support/api/pipeline-test.ts";
import { ScriptedAgent } from "../../support/agent/scripted-agent.ts";
import { promise } from "../../support/promises/promise.ts";

describe("the queue", () => {
  it("is first in, first out per server, one at a time, with two processes on one database", async ({
    database,
    worker,
    startFurtherWorker,
  }) => {
    promise("queue", "a server runs one deploy at a time, in the order in which they were asked for");
    const second = await startFurtherWorker();
    const servers = await Promise.all([addServer(database.db), addServer(database.db)]);
    const agents = servers.map(() => new ScriptedAgent());
    const queued: string[][] = [[], []];
    for (let round = 0; round < 4; round++) {
      for (const [i, id] of servers.entries()) {
        queued[i]!.push(await addDeploy(database.db, await addApp(database.db, { serverId: id }), id));
      }
    }
    // An agent that listens is dialled by every process.
    for (const [i, id] of servers.entries()) for (const one of [worker, second]) one.links.up(id, agents[i]!);
    await Promise.all(queued.flat().map((id) => deployEnd(database.db, id, 20_000)));
    for (const [i, ids] of queued.entries()) {
      const rows = await Promise.all(ids.map((id) => deployRow(database.db, id)));
      const times = rows.flatMap((row) => [row.started_at!.getTime(), row.finished_at!.getTime()]);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const order = agents[i]!.calls.filter((call) => call.startsWith("run CLONE_BUILD")).length;
      expect(order).toBe(ids.length);
    }
  });

  it("gives deploys that wait for any server to the first that joins", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const app = await addApp(database.db, { serverId: null });
    const deployId = await addDeploy(database.db, app, null);
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).server_id).toBe(serverId);
    expect((await appRow(database.db, app.id)).server_id).toBe(serverId);
  });

  it("goes on for the apps of a server that is drained, and brings it no others", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    const elsewhere = await addApp(database.db, { serverId: null });
    const unplaced = await addDeploy(database.db, elsewhere, null);
    await database.db.updateTable("servers").set({ state: "draining" }).where("id", "=", serverId).execute();
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
    expect((await deployRow(database.db, unplaced)).status).toBe("pending");
    await database.db.deleteFrom("deploys").where("id", "=", unplaced).execute();
  });
});

describe("a deploy's status", () => {
  it("follows in the database as in the domain", async ({ database }) => {
    for (const from of DEPLOY_STATUSES) {
      for (const to of DEPLOY_STATUSES) {
        const app = await addApp(database.db, { serverId: null });
        const id = await addDeploy(database.db, app, null);
        const set = (status: DeployStatus) => ({ status, finished_at: isTerminal(status) ? new Date() : null });
        if (from !== "pending")
          await database.db
            .updateTable("deploys")
            .set(set(from === "canceled" ? "canceled" : "running"))
            .where("id", "=", id)
            .execute();
        if (from === "success" || from === "failed")
          await database.db.updateTable("deploys").set(set(from)).where("id", "=", id).execute();
        const update = database.db.updateTable("deploys").set(set(to)).where("id", "=", id).execute();
        const allowed = await update.then(
          () => true,
          () => false,
        );
        expect([from, to, allowed]).toEqual([from, to, from === to || NEXT_STATUSES[from].includes(to)]);
        await database.db.deleteFrom("deploys").where("id", "=", id).execute();
      }
    }
  });
});
