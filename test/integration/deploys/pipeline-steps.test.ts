import { describe, expect } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { fromEnvVars } from "../../support/api/env-vars.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { addApp, addAppAndDeploy, addDeploy, appRow, deployEnd, setEnv, stepRows } from "../../support/api/pipeline.ts";
import { pipelineTest as it } from "../../support/api/pipeline-test.ts";
import { promise } from "../../support/promises/promise.ts";

describe("a deploy", () => {
  it("runs the four steps in their order and records the release", async ({ database, worker, agent, serverId }) => {
    promise(
      "deploys",
      "a deploy runs its four steps in the background, always in the same order",
      "a framework that the owner did not name is recognised from the repository, and recorded",
      "a deploy keeps the ref that was asked for, the name of its release and the full commit",
    );
    const { app, deployId } = await addAppAndDeploy(database.db, { serverId, needsDatabase: true });
    worker.links.up(serverId, agent);
    const row = await deployEnd(database.db, deployId);
    expect(row).toMatchObject({ status: "success", error: null, commit_sha: "a".repeat(40) });
    expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual(Array(4).fill("success"));
    await eventually(
      () => agent.calls,
      (calls) => calls.includes("release succeeded"),
      { what: "the lock is released" },
    );
    expect(agent.callsUntilRelease()).toEqual([
      "lock",
      "run PROVISION_DB 1",
      "run CLONE_BUILD 1",
      "run DEPLOY_CONTAINER 1",
      "run PROXY_ROUTE 1",
      "release succeeded",
    ]);
    expect(await appRow(database.db, app.id)).toMatchObject({
      status: "running",
      database_name: "shop",
      detected_framework: "express",
      detected_port: 3000,
    });
  });

  it.for([
    [false, ["skipped", "failed", "skipped", "skipped"], []],
    [true, ["success", "failed", "skipped", "skipped"], ["run PROVISION_DB 1"]],
  ])(
    "of the platform's own repository that is not there says so in clone_build; database: %s",
    async ([needs, steps, runs], { database, worker, agent, serverId }) => {
      const { app, deployId } = await addAppAndDeploy(database.db, { serverId });
      const url = `http://127.0.0.1/git/${app.userId}/nothing.git`;
      await database.query("update apps set repo_url = $2, needs_database = $3 where id = $1", [app.id, url, needs]);
      worker.links.up(serverId, agent);
      expect(await deployEnd(database.db, deployId)).toMatchObject({
        status: "failed",
        error_code: "repository_not_found",
        error: expect.stringContaining(`You have no repository ${url} on this platform.`),
      });
      expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual(steps);
      expect(agent.calls.filter((call) => call.startsWith("run"))).toEqual(runs);
    },
  );

  it("skips provision_db when no database is needed", async ({ database, worker, agent, serverId }) => {
    promise("deploys", "a step is pending, running, ended as success, failed or canceled, or skipped as not needed");
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    expect((await stepRows(database.db, deployId)).map((step) => step.status)).toEqual([
      "skipped",
      "success",
      "success",
      "success",
    ]);
  });

  it("has a repository that is not the platform's own read without credentials", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    promise("deploys", "a public repository elsewhere is cloned without credentials");
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const sent = agent.requests.flatMap(({ spec }) => (spec.case === "cloneBuild" ? [spec.value] : []));
    expect(sent.map(({ credentials, platformHosted }) => [credentials, platformHosted])).toEqual([[undefined, false]]);
    expect(sent[0]!.repoUrl).toMatch(/^https:\/\/[^@]+$/);
  });

  it("gives the container the stored values byte for byte, the port, the database and its own names", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const odd = "a $b 'c' \"d\" #e \\f\ng=h é";
    const { app, deployId } = await addAppAndDeploy(database.db, { serverId, needsDatabase: true, env: { ODD: odd } });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.DEPLOY_CONTAINER)!.spec;
    expect(spec.case === "deployContainer" && fromEnvVars(spec.value.env)).toEqual({
      ODD: odd,
      PORT: "3000",
      DATABASE_URL: "postgres://shop:pw-of-the-database@database:5432/shop",
      SVC_APP: app.name,
      SVC_RELEASE: expect.stringMatching(/^r\d+$/),
      SVC_COMMIT_SHA: "a".repeat(40),
    });
  });

  it("is made of what was set when it was taken up, whoever works on it, and the next one of what was set since", async ({
    database,
    worker,
    agent,
    serverId,
    startFurtherWorker,
  }) => {
    const { app, deployId } = await addAppAndDeploy(database.db, {
      serverId,
      env: { PUBLIC_A: "before", GONE: "soon" },
    });
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
    const next = await startFurtherWorker();
    next.links.up(serverId, agent);
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
    const envs = specs(Step.DEPLOY_CONTAINER).map(
      (spec) => spec.case === "deployContainer" && fromEnvVars(spec.value.env),
    );
    expect(envs).toMatchObject([{ PUBLIC_A: "before", GONE: "soon" }, { PUBLIC_A: "after" }]);
    expect(envs[1]).not.toHaveProperty("GONE");
    expect((await database.query("select id from deploys where inputs is not null")).rows).toEqual([]);
  });

  it("keeps a DATABASE_URL of the user's own", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, {
      serverId,
      needsDatabase: true,
      env: { DATABASE_URL: "postgres://mine" },
    });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.DEPLOY_CONTAINER)!.spec;
    expect(spec.case === "deployContainer" && fromEnvVars(spec.value.env)["DATABASE_URL"]).toBe("postgres://mine");
  });

  it("sends only values with a public prefix to the build", async ({ database, worker, agent, serverId }) => {
    const { deployId } = await addAppAndDeploy(database.db, {
      serverId,
      env: { VITE_TITLE: "hello", SECRET: "canary-in-a-build" },
    });
    worker.links.up(serverId, agent);
    await deployEnd(database.db, deployId);
    const spec = agent.requests.find((request) => request.step === Step.CLONE_BUILD)!.spec;
    expect(spec.case === "cloneBuild" && spec.value.buildEnv).toEqual({ VITE_TITLE: "hello" });
  });
});

describe("a step that fails", () => {
  const steps = [Step.PROVISION_DB, Step.CLONE_BUILD, Step.DEPLOY_CONTAINER, Step.PROXY_ROUTE];
  const names = ["PROVISION_DB", "CLONE_BUILD", "DEPLOY_CONTAINER", "PROXY_ROUTE"];

  it.for(steps.map((step, i) => [names[i]!, step, i] as const))(
    "%s: takes back what was done, last first, frees the lock, and then says failed",
    async ([_name, step, index], { database, worker, agent, serverId }) => {
      const { app, deployId } = await addAppAndDeploy(database.db, { serverId, needsDatabase: true });
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
      expect((await appRow(database.db, app.id)).status).toBe("failed");
    },
  );

  it.for([
    ["c".repeat(40), "c".repeat(40)],
    ["c".repeat(64), "c".repeat(64)],
    ["<b>no commit</b>", null],
  ] as const)(
    "says which commit was to be built: %s",
    async ([told, commit], { database, worker, agent, serverId }) => {
      const { deployId } = await addAppAndDeploy(database.db, { serverId });
      const outcome = { case: "failure" as const, value: { code: "build_failed", message: "no" } };
      agent.script(Step.CLONE_BUILD, { checkedOut: told, outcome });
      worker.links.up(serverId, agent);
      expect(await deployEnd(database.db, deployId)).toMatchObject({ status: "failed", commit_sha: commit });
    },
  );

  it("leaves a live release as it is", async ({ database, worker, agent, serverId }) => {
    const app = await addApp(database.db, { serverId });
    const first = await addDeploy(database.db, app, serverId);
    worker.links.up(serverId, agent);
    await deployEnd(database.db, first);
    const before = await appRow(database.db, app.id);
    agent.script(Step.CLONE_BUILD, { outcome: { case: "failure", value: { code: "build_failed", message: "no" } } });
    const second = await addDeploy(database.db, app, serverId);
    expect((await deployEnd(database.db, second)).status).toBe("failed");
    expect(await appRow(database.db, app.id)).toMatchObject({
      status: "running",
      current_release_id: before.current_release_id,
    });
  });

  it("tells the reason also when it holds what PostgreSQL does not take", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
    agent.script(Step.DEPLOY_CONTAINER, {
      outcome: { case: "failure", value: { code: "app_exited", message: "It said: \u0000bye\uFFFD" } },
    });
    worker.links.up(serverId, agent);
    expect(await deployEnd(database.db, deployId)).toMatchObject({
      status: "failed",
      error: "It said: \uFFFDbye\uFFFD",
    });
  });

  it("hides a value that was changed while its container was tried", async ({ database, worker, agent, serverId }) => {
    const { app, deployId } = await addAppAndDeploy(database.db, { serverId, env: { TOKEN: "old-and-still-valid" } });
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

  it("leaves no step running when the deploy fails before the step is looked at again", async ({
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
    await worker.stop();
    const next = await startFurtherWorker();
    agent.lockRefused = true;
    next.links.up(serverId, agent);
    expect((await deployEnd(database.db, deployId)).status).toBe("failed");
    expect((await stepRows(database.db, deployId))[1]!.status).toBe("failed");
  });

  it("hides what the live release was begun with, which was changed since", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const app = await addApp(database.db, { serverId, env: { TOKEN: "live-and-still-valid" } });
    const first = await addDeploy(database.db, app, serverId);
    worker.links.up(serverId, agent);
    expect((await deployEnd(database.db, first)).status).toBe("success");
    await database.db.deleteFrom("env_vars").where("app_id", "=", app.id).execute();
    const message = "its old container says live-and-still-valid";
    agent.script(Step.CLONE_BUILD, { outcome: { case: "failure", value: { code: "build_failed", message } } });
    const second = await addDeploy(database.db, app, serverId);
    expect((await deployEnd(database.db, second)).error).toBe("its old container says [REDACTED]");
  });

  it("never shows a stored secret in output or error, whatever form it was printed in", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const secret = "canary-secret-value";
    const { deployId } = await addAppAndDeploy(database.db, { serverId, env: { TOKEN: secret } });
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

describe("cancel", () => {
  it("ends what runs on the agent; the deploy is canceled and never becomes anything else", async ({
    database,
    worker,
    agent,
    serverId,
  }) => {
    const { deployId } = await addAppAndDeploy(database.db, { serverId });
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
