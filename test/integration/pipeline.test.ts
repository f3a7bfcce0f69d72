import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sql } from "kysely";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { canBecome, DEPLOY_STATUSES, isTerminal, type DeployStatus } from "@svc/control-plane/domain/deploy.ts";
import { pipelineTiming } from "@svc/control-plane/pipeline/context.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { eventually } from "../support/eventually.ts";
import {
  addApp,
  addDeploy,
  addServer,
  deployEnd,
  deployRow,
  quickTiming,
  setEnv,
  startWorker,
  stepRows,
  type Worker,
} from "../support/pipeline.ts";
import { ScriptedAgent } from "../support/scripted-agent.ts";

let database: TestDatabase;
let worker: Worker;
let agent: ScriptedAgent;
let serverId: string;
const further: Worker[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

beforeEach(async () => {
  worker = await startWorker(database);
  agent = new ScriptedAgent();
  serverId = await addServer(database.db);
});
afterEach(async () => {
  await Promise.all([worker, ...further.splice(0)].map((one) => one.stop()));
});

async function deployOf(options: { needsDatabase?: boolean; env?: Record<string, string> } = {}) {
  const app = await addApp(database.db, { serverId, ...options });
  return { app, deployId: await addDeploy(database.db, app, serverId) };
}

const requestCancel = (deployId: string) =>
  database.db.updateTable("deploys").set({ cancel_requested_at: new Date() }).where("id", "=", deployId).execute();

const appRow = (id: string) =>
  database.db.selectFrom("apps").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

describe("a deploy", () => {
  it("runs the four steps in their order and records the release", async () => {
    const { app, deployId } = await deployOf({ needsDatabase: true });
    worker.links.up(serverId, agent);
    const row = await deployEnd(database.db, deployId);
    expect(row).toMatchObject({ status: "success", error: null, commit_sha: "a".repeat(40) });
    expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual(Array(4).fill("success"));
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("release succeeded"),
      { what: "the lock is released" },
    );
    expect(agent.calls).toEqual([
      "lock",
      "run PROVISION_DB 1",
      "run CLONE_BUILD 1",
      "run DEPLOY_CONTAINER 1",
      "run PROXY_ROUTE 1",
      "release succeeded",
    ]);
    expect(await appRow(app.id)).toMatchObject({
      status: "running",
      database_name: "shop",
      detected_framework: "express",
      detected_port: 3000,
    });
  });

  it("skips provision_db when no database is needed", async () => {
    const { deployId } = await deployOf();
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual([
      "skipped",
      "success",
      "success",
      "success",
    ]);
  });

  it("gives the container the stored values byte for byte, the port, the database and its own names", async () => {
    const odd = "a $b 'c' \"d\" #e \\f\ng=h é";
    const { app, deployId } = await deployOf({ needsDatabase: true, env: { ODD: odd } });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.DEPLOY_CONTAINER)!.spec;
    expect(spec.case === "deployContainer" && spec.value.env).toEqual({
      ODD: odd,
      PORT: "3000",
      DATABASE_URL: "postgres://shop:pw-of-the-database@database:5432/shop",
      SVC_APP: app.name,
      SVC_RELEASE: expect.stringMatching(/^r\d+$/),
      SVC_COMMIT_SHA: "a".repeat(40),
    });
  });

  it("is made of what was set when it was taken up, whoever works on it, and the next one of what was set since", async () => {
    const { app, deployId } = await deployOf({ env: { PUBLIC_A: "before", GONE: "soon" } });
    agent.script(Step.CLONE_BUILD, { outcome: "hang" }, {});
    worker.links.up(serverId, agent);
    const specs = (step: Step) => agent.requests.filter((request) => request.step === step).map(({ spec }) => spec);
    await eventually(
      () => specs(Step.CLONE_BUILD).length,
      (asked) => asked === 1,
      { what: "it builds" },
    );
    await setEnv(database.db, app.id, { PUBLIC_A: "after" });
    await database.db.updateTable("apps").set({ repo_url: "https://git.test/other", port: 4000 }).execute();
    await worker.stop();
    worker = await startWorker(database);
    worker.links.up(serverId, agent);
    await eventually(
      () => specs(Step.CLONE_BUILD).length,
      (asked) => asked === 2,
      { what: "another process has it" },
    );
    agent.finish(Step.CLONE_BUILD);
    await deployEnd(database.db, deployId);
    await deployEnd(database.db, await addDeploy(database.db, app, serverId));

    const before = { repoUrl: "https://git.test/app.git", port: 0, buildEnv: { PUBLIC_A: "before" } };
    const after = { repoUrl: "https://git.test/other", port: 4000, buildEnv: { PUBLIC_A: "after" } };
    expect(specs(Step.CLONE_BUILD).map(({ value }) => value)).toMatchObject([before, before, after]);
    const envs = specs(Step.DEPLOY_CONTAINER).map((spec) => spec.case === "deployContainer" && spec.value.env);
    expect(envs).toMatchObject([{ PUBLIC_A: "before", GONE: "soon" }, { PUBLIC_A: "after" }]);
    expect(envs[1]).not.toHaveProperty("GONE");
    expect((await database.query("select id from deploys where inputs is not null")).rows).toEqual([]);
  });

  it("keeps a DATABASE_URL of the user's own", async () => {
    const { deployId } = await deployOf({ needsDatabase: true, env: { DATABASE_URL: "postgres://mine" } });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.DEPLOY_CONTAINER)!.spec;
    expect(spec.case === "deployContainer" && spec.value.env["DATABASE_URL"]).toBe("postgres://mine");
  });

  it("sends only values with a public prefix to the build", async () => {
    const { deployId } = await deployOf({ env: { VITE_TITLE: "hello", SECRET: "canary-in-a-build" } });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.CLONE_BUILD)!.spec;
    expect(spec.case === "cloneBuild" && spec.value.buildEnv).toEqual({ VITE_TITLE: "hello" });
  });
});

describe("a step that fails", () => {
  const steps = [Step.PROVISION_DB, Step.CLONE_BUILD, Step.DEPLOY_CONTAINER, Step.PROXY_ROUTE];
  const names = ["PROVISION_DB", "CLONE_BUILD", "DEPLOY_CONTAINER", "PROXY_ROUTE"];

  it.each(steps.map((step, i) => [names[i]!, step, i] as const))(
    "%s: takes back what was done, last first, frees the lock, and then says failed",
    async (_name, step, index) => {
      const { app, deployId } = await deployOf({ needsDatabase: true });
      agent.script(step, {
        outcome: { case: "failure", value: { code: "build_failed", message: "It broke: mend it." } },
      });
      worker.links.up(serverId, agent);
      const row = await deployEnd(database.db, deployId);
      expect(row).toMatchObject({ status: "failed", error: "It broke: mend it." });
      const statuses = (await stepRows(database.db, deployId)).map((one) => one.status);
      expect(statuses).toEqual([...Array(index).fill("success"), "failed", ...Array(3 - index).fill("skipped")]);
      const undone = names
        .slice(0, index + 1)
        .toReversed()
        .map((name) => `undo ${name}`);
      expect(agent.calls.slice(index + 2)).toEqual(["cancel", ...undone, "release"]);
      expect(agent.lockHolder).toBeUndefined();
      expect((await appRow(app.id)).status).toBe("failed");
    },
  );

  it("leaves a live release as it is", async () => {
    const app = await addApp(database.db, { serverId });
    const first = await addDeploy(database.db, app, serverId);
    worker.links.up(serverId, agent);
    await deployEnd(database.db, first);
    const before = await appRow(app.id);
    agent.script(Step.CLONE_BUILD, { outcome: { case: "failure", value: { code: "build_failed", message: "no" } } });
    const second = await addDeploy(database.db, app, serverId);
    expect((await deployEnd(database.db, second)).status).toBe("failed");
    expect(await appRow(app.id)).toMatchObject({ status: "running", current_release_id: before.current_release_id });
  });

  it("tells the reason also when it holds what PostgreSQL does not take", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.DEPLOY_CONTAINER, {
      outcome: { case: "failure", value: { code: "app_exited", message: "It said: \u0000bye\uFFFD" } },
    });
    worker.links.up(serverId, agent);
    expect(await deployEnd(database.db, deployId)).toMatchObject({
      status: "failed",
      error: "It said: \uFFFDbye\uFFFD",
    });
  });

  it("hides a value that was changed while its container was tried", async () => {
    const { app, deployId } = await deployOf({ env: { TOKEN: "old-and-still-valid" } });
    agent.script(Step.PROXY_ROUTE, { lines: ["trying"], outcome: "hang" }, {});
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run PROXY_ROUTE 1"),
      { what: "the last step runs" },
    );
    await database.db.deleteFrom("env_vars").where("app_id", "=", app.id).execute();
    const message = "it printed old-and-still-valid";
    agent.finish(Step.PROXY_ROUTE, { case: "failure", value: { code: "route_not_proven", message } });
    expect((await deployEnd(database.db, deployId)).error).toBe("it printed [REDACTED]");
  });

  it("leaves no step running when the deploy fails before the step is looked at again", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    await worker.stop();
    worker = await startWorker(database);
    agent.lockRefused = true;
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("failed");
    expect((await stepRows(database.db, deployId))[1]!.status).toBe("failed");
  });

  it("never shows a stored secret in output or error, whatever form it was printed in", async () => {
    const secret = "canary-secret-value";
    const { deployId } = await deployOf({ env: { TOKEN: secret } });
    agent.script(Step.CLONE_BUILD, {
      lines: [`using ${secret}`, Buffer.from(secret).toString("base64")],
      outcome: { case: "failure", value: { code: "build_failed", message: `could not use ${secret}` } },
    });
    worker.links.up(serverId, agent);
    const row = await deployEnd(database.db, deployId);
    const events = await database.db
      .selectFrom("deploy_events")
      .select("payload")
      .where("deploy_id", "=", deployId)
      .execute();
    const everything = JSON.stringify([row.error, await stepRows(database.db, deployId), events]);
    expect(everything).toContain("using [REDACTED]");
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(Buffer.from(secret).toString("base64"));
  });
});

describe("a link that breaks", () => {
  it("loses no line and doubles none: the stream goes on after the last number", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { lines, breakAfter: 17 });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const step = (await stepRows(database.db, deployId))[1]!;
    expect(step.output).toBe(lines.join("\n"));
    expect(agent.requests.filter((one) => one.step === Step.CLONE_BUILD).map((one) => Number(one.afterEvent))).toEqual([
      0, 17,
    ]);
  });

  it("fails the deploy when the agent stays away, and takes its work back when the agent returns", async () => {
    const { deployId } = await deployOf();
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

  it("does not take a silent step for an agent that is away, however long it is silent", async () => {
    const { deployId } = await deployOf();
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
    await requestCancel(deployId);
    await deployEnd(database.db, deployId);
  });

  it("ends what a returned agent still runs of a failed deploy, and then serves the queue", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { lines: ["building"], outcome: "hang" }, {});
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    worker.links.down(serverId);
    expect((await deployEnd(database.db, deployId)).status).toBe("failed");
    const next = await deployOf();
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, next.deployId)).status).toBe("success");
    expect(agent.calls.indexOf("cancel")).toBeLessThan(agent.calls.indexOf("undo CLONE_BUILD"));
  });

  it("serves the queue although the agent's lock is held by a deploy that nobody knows", async () => {
    agent.lockHolder = { deployId: randomUUID(), attempt: 1 };
    const { deployId } = await deployOf();
    worker.links.up(serverId, agent);
    await eventually(
      () => deployRow(database.db, deployId),
      (row) => row.status === "running",
      { what: "it is claimed" },
    );
    agent.lockHolder = undefined; // its lease ends
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
  });

  it("leaves a deploy queued while its agent has never been there", async () => {
    const { deployId } = await deployOf();
    const other = await addServer(database.db);
    worker.links.up(other, new ScriptedAgent());
    const elsewhere = await addApp(database.db, { serverId: other });
    await deployEnd(database.db, await addDeploy(database.db, elsewhere, other));
    expect((await deployRow(database.db, deployId)).status).toBe("pending");
  });
});

describe("an agent that is restarted during a step", () => {
  const interrupted = { outcome: { case: "interrupted", value: {} } } as const;

  it("runs the step once more", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.DEPLOY_CONTAINER, interrupted, {});
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
    expect(agent.calls).toContain("run DEPLOY_CONTAINER 2");
  });

  it("fails the deploy with the reason when it happens twice", async () => {
    const { deployId } = await deployOf();
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

describe("the queue", () => {
  it("is first in, first out per server, one at a time, with two processes on one database", async () => {
    const second = await startWorker(database);
    further.push(second);
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

  it("gives deploys that wait for any server to the first that joins", async () => {
    const app = await addApp(database.db, { serverId: null });
    const deployId = await addDeploy(database.db, app, null);
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).server_id).toBe(serverId);
    expect((await appRow(app.id)).server_id).toBe(serverId);
  });

  it("goes on for the apps of a server that is drained, and brings it no others", async () => {
    const { deployId } = await deployOf();
    const elsewhere = await addApp(database.db, { serverId: null });
    const unplaced = await addDeploy(database.db, elsewhere, null);
    await database.db.updateTable("servers").set({ state: "draining" }).where("id", "=", serverId).execute();
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("success");
    expect((await deployRow(database.db, unplaced)).status).toBe("pending");
    await database.db.deleteFrom("deploys").where("id", "=", unplaced).execute();
  });
});

describe("a process that ends during a deploy", () => {
  it("hands the deploy over at once when it stops in order", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { lines: ["a", "b"], outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => stepRows(database.db, deployId),
      (rows) => rows[1]!.last_event_number === "2",
      { what: "lines" },
    );
    await worker.stop();
    expect((await deployRow(database.db, deployId)).status).toBe("running");
    worker = await startWorker(database);
    worker.links.up(serverId, agent);
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

  it("loses its claim to the next one, and writes nothing more", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    // As a process does that was frozen for longer than its claim stands.
    await database.db
      .updateTable("deploys")
      .set({
        worker_id: randomUUID(),
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
    worker = await startWorker(database);
    expect(await deployRow(database.db, deployId)).toEqual(before);
    await database.db.deleteFrom("deploys").where("id", "=", deployId).execute();
  });

  it("leaves no deploy running for ever when nobody can go on: it is failed", async () => {
    const { deployId } = await deployOf();
    await database.db
      .updateTable("deploys")
      .set({
        status: "running",
        started_at: sql<Date>`now() - interval '1 minute'`,
        attempt: 1,
        worker_id: randomUUID(),
      })
      .where("id", "=", deployId)
      .execute();
    const row = await deployEnd(database.db, deployId);
    expect(row.status).toBe("failed");
    expect(row.error).toMatch(/agent .* away/);
  });
});

describe("cancel", () => {
  it("ends what runs on the agent; the deploy is canceled and never becomes anything else", async () => {
    const { deployId } = await deployOf();
    agent.script(Step.CLONE_BUILD, { outcome: "hang" });
    worker.links.up(serverId, agent);
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("run CLONE_BUILD 1"),
      { what: "the build runs" },
    );
    await database.db
      .updateTable("deploys")
      .set({ cancel_requested_at: new Date() })
      .where("id", "=", deployId)
      .execute();
    const row = await deployEnd(database.db, deployId);
    expect(row.status).toBe("canceled");
    expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual([
      "skipped",
      "canceled",
      "skipped",
      "skipped",
    ]);
    await expect(
      database.db.updateTable("deploys").set({ status: "failed" }).where("id", "=", deployId).execute(),
    ).rejects.toThrow(/cannot follow/);
  });
});

it("leaves no deploy without a worker for more than 60 s, by its own figures", () => {
  const { claimMs, abandonedMs, pollMs, agentAwayMs } = pipelineTiming;
  expect(claimMs + abandonedMs + pollMs).toBeLessThan(60_000);
  expect(agentAwayMs).toBeLessThan(60_000);
});

describe("a deploy's status", () => {
  it("follows in the database as in the domain", async () => {
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
        expect([from, to, allowed]).toEqual([from, to, from === to || canBecome(from, to)]);
        await database.db.deleteFrom("deploys").where("id", "=", id).execute();
      }
    }
  });
});
