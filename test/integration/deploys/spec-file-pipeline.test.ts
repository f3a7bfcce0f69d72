import { describe, expect } from "vitest";
import { Step, type RunStepRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { fromEnvVars } from "../../support/api/env-vars.ts";
import { addApp, addDeploy, deployEnd, stepRows } from "../../support/api/pipeline.ts";
import { pipelineTest } from "../../support/api/pipeline-test.ts";

/** The limits of a free account's container, as the worker is configured. */
const TIER = { memoryBytes: BigInt(512 * 1024 ** 2), cpuMillis: 1000 };

/** Its agent is linked; `deploy` is a deploy of the app, which succeeds: its steps as they ended, and the last request for each. */
const it = pipelineTest.extend("deploy", ({ database, worker, agent, serverId }) => {
  worker.links.up(serverId, agent);
  return async (app: { id: string; userId: string }) => {
    const id = await addDeploy(database.db, app, serverId);
    const { status, error } = await deployEnd(database.db, id);
    if (status !== "success") throw new Error(`The deploy ended as ${status}: ${error}`);
    const last = (step: Step): RunStepRequest["spec"] | undefined =>
      agent.requests.findLast((request) => request.step === step && request.lock?.deployId === id)?.spec;
    return { statuses: (await stepRows(database.db, id)).map(({ status }) => status), last };
  };
});

const made = (version: string, services: { service: string; databaseName: string }[] = []) => {
  const value = { databaseUrl: "postgres://shop:p%40w@database:5432/shop", databaseName: "shop", version, services };
  return { outcome: { case: "success", value: { output: { case: "provisionDb", value } } } } as const;
};

const built = (fields: { memoryBytes?: bigint; cpuMillis?: number; command?: string[] }) => {
  const image = {
    commitSha: "a".repeat(40),
    framework: "dockerfile",
    port: 80,
    imageDigest: `sha256:${"b".repeat(64)}`,
  };
  return {
    outcome: { case: "success", value: { output: { case: "cloneBuild", value: { ...image, ...fields } } } },
  } as const;
};

const databaseRows = (db: Db, appId: string) =>
  db.selectFrom("app_databases").select("version").where("app_id", "=", appId).execute();
const appRow = (db: Db, id: string) =>
  db.selectFrom("apps").select(["needs_database", "database_name"]).where("id", "=", id).executeTakeFirst();

describe("a service of the spec file", () => {
  it("gives the app a database of its version, which every later deploy has, whatever its source says", async ({
    database,
    agent,
    serverId,
    deploy,
  }) => {
    const app = await addApp(database.db, { serverId });
    agent.script(Step.PROVISION_DB, made("15"));
    const first = await deploy(app);
    expect(first.statuses[0]).toBe("success");
    expect(await appRow(database.db, app.id)).toEqual({ needs_database: true, database_name: "shop" });
    expect(await databaseRows(database.db, app.id)).toEqual([{ version: "15" }]);
    expect(first.last(Step.CLONE_BUILD)?.value).toMatchObject({ databaseVersion: "15", databaseWanted: true });

    const second = await deploy(app);
    const spec = second.last(Step.PROVISION_DB);
    expect(spec?.value).toMatchObject({ version: "15", wanted: true, made: true });
  });

  it("gives the app a variable beside DATABASE_URL, each of several its own, and a value of the user's own wins", async ({
    database,
    agent,
    serverId,
    deploy,
  }) => {
    const app = await addApp(database.db, { serverId, env: { STATS_DATABASE_URL: "mine" } });
    const databases = { db: "shop", "my.Cache-2": "service_my_cache_2", stats: "service_stats", "1st": "service_1st" };
    const services = Object.entries(databases).map(([service, databaseName]) => ({ service, databaseName }));
    agent.script(Step.PROVISION_DB, made("16", services));
    const { last } = await deploy(app);
    expect(last(Step.CLONE_BUILD)?.value).toMatchObject({ services: Object.keys(databases) });
    const spec = last(Step.DEPLOY_CONTAINER);
    const url = (name: string) => `postgres://shop:p%40w@database:5432/${name}`;
    expect(spec?.case === "deployContainer" && fromEnvVars(spec.value.env)).toMatchObject({
      DATABASE_URL: url("shop"),
      DB_DATABASE_URL: url("shop"),
      MY_CACHE_2_DATABASE_URL: url("service_my_cache_2"),
      STATS_DATABASE_URL: "mine",
      _1ST_DATABASE_URL: url("service_1st"),
    });
  });

  it("that is not there leaves the step skipped, and nothing behind", async ({ database, serverId, deploy }) => {
    const app = await addApp(database.db, { serverId });
    const { statuses, last } = await deploy(app);
    expect(statuses[0]).toBe("skipped");
    expect(await appRow(database.db, app.id)).toEqual({ needs_database: false, database_name: null });
    expect(await databaseRows(database.db, app.id)).toEqual([]);
    expect(last(Step.CLONE_BUILD)?.value).toMatchObject({ databaseVersion: "", databaseWanted: false });
  });

  it("is looked for also when the app itself wants a database, for its version", async ({
    database,
    agent,
    serverId,
    deploy,
  }) => {
    const app = await addApp(database.db, { serverId, needsDatabase: true });
    agent.script(Step.PROVISION_DB, made("17"));
    const { last } = await deploy(app);
    const spec = last(Step.PROVISION_DB);
    expect(spec?.value).toMatchObject({ version: "16", wanted: true });
    expect(spec?.case === "provisionDb" && spec.value.source).toMatchObject({ repoUrl: "https://git.test/app.git" });
    expect(await databaseRows(database.db, app.id)).toEqual([{ version: "17" }]);
  });
});

describe("resources and start of the spec file", () => {
  it("reach the container, caps up to what the tier allows", async ({ database, agent, serverId, deploy }) => {
    const app = await addApp(database.db, { serverId });
    agent.script(Step.CLONE_BUILD, built({ memoryBytes: 2n ** 26n, cpuMillis: 250, command: ["./shop", "a b"] }));
    const { last } = await deploy(app);
    expect(last(Step.CLONE_BUILD)?.value).toMatchObject({
      memoryBytesMax: TIER.memoryBytes,
      cpuMillisMax: TIER.cpuMillis,
    });
    expect(last(Step.DEPLOY_CONTAINER)?.value).toMatchObject({
      memoryBytes: 2n ** 26n,
      cpuMillis: 250,
      command: ["./shop", "a b"],
    });
    // A release of a larger tier: a rollback of it gets what there is today.
    agent.script(Step.CLONE_BUILD, built({ memoryBytes: 2n ** 40n, cpuMillis: 64_000 }));
    expect((await deploy(app)).last(Step.DEPLOY_CONTAINER)?.value).toMatchObject({ ...TIER, command: [] });
  });

  it("give way to the caps that were set for the app when its deploy began, up to the tier's", async ({
    database,
    agent,
    serverId,
    deploy,
  }) => {
    const app = await addApp(database.db, { serverId });
    const setCaps = (memory: string | null, cpus: string | null) =>
      database.db.updateTable("apps").set({ memory, cpus }).where("id", "=", app.id).execute();
    const runsWith = async () => (await deploy(app)).last(Step.DEPLOY_CONTAINER)?.value;
    const ofSpecFile = { memoryBytes: 2n ** 26n, cpuMillis: 250 };
    agent.script(Step.CLONE_BUILD, built(ofSpecFile));
    await setCaps("128m", "0.5");
    expect(await runsWith()).toMatchObject({ memoryBytes: 2n ** 27n, cpuMillis: 500 });
    await setCaps(null, "0.5");
    expect(await runsWith()).toMatchObject({ memoryBytes: 2n ** 26n, cpuMillis: 500 });
    // Set while the team had a larger tier.
    await setCaps("1024g", "64");
    expect(await runsWith()).toMatchObject(TIER);
    await setCaps(null, null);
    expect(await runsWith()).toMatchObject(ofSpecFile);
  });

  it("that are not there leave the tier's caps and the image's own command", async ({ database, serverId, deploy }) => {
    const app = await addApp(database.db, { serverId });
    expect((await deploy(app)).last(Step.DEPLOY_CONTAINER)?.value).toMatchObject({ ...TIER, command: [] });
  });
});
