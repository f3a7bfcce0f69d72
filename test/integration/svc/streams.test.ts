import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { STREAMS_OF_APP_MAX } from "@svc/control-plane/platform/http/stream-places.ts";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { startCuttingProxy } from "../../support/tools/cutting-proxy.ts";
import { DeployingApi } from "../../support/api/deploying-api.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { addLiveRelease, ScriptedApps } from "../../support/api/scripted-apps.ts";
import { startSvcWorld, type SvcWorld } from "../../support/svc/svc-world.ts";

let world: SvcWorld;
let setup: DeployingApi;

beforeAll(async () => {
  world = await startSvcWorld({ tiers: DEFAULT_TIERS });
  setup = await DeployingApi.start(world.http);
});
afterAll(async () => {
  await setup?.stopWorker();
  await world?.stop();
});

const until = (what: string, isSo: () => boolean) => eventually(isSo, (so) => so, { what, deadlineMs: 20_000 });

test("a deploy is followed over a connection that is cut, and no line is shown twice or lost", async () => {
  const app = await setup.addApp();
  const lines = Array.from({ length: 50 }, (_, i) => `line ${i}`);
  setup.agent.script(Step.CLONE_BUILD, { lines, outcome: "hang" });
  const proxy = await startCuttingProxy(world.url);
  try {
    let shown = "";
    const running = world.user.svc(["deploy", "--json", "--app", app.name], {
      env: { SVC_URL: proxy.url, SVC_API_KEY: app.caller.key },
      onStart: (child) => child.stdout?.on("data", (data: Buffer) => (shown += data.toString("utf8"))),
    });
    await until("the lines are shown", () => shown.includes("line 49"));
    for (let i = 0; i < 2; i += 1) {
      const before = proxy.opened();
      proxy.cut();
      await until("the stream is opened again", () => proxy.opened() > before);
    }
    setup.agent.finish(Step.CLONE_BUILD);
    const outcome = await running;
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    const logged = outcome.events.filter(({ type }) => type === "log").map(({ line }) => line);
    expect(logged).toEqual(lines);
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "success" });
  } finally {
    await proxy.close();
  }
});

test("a deploy for which no stream is left is followed by asking, says so once, and ends with its own status", async () => {
  const app = await setup.addApp();
  const { http } = world;
  http.links.clients.set(setup.serverId, new ScriptedApps().client());
  const leave = new AbortController();
  const headers = { Authorization: `Bearer ${app.caller.key}` };
  try {
    for (let i = 0; i < STREAMS_OF_APP_MAX; i++) {
      const held = await http.api.request(`/api/apps/${app.name}/logs?follow=1`, { headers, signal: leave.signal });
      expect(held.status).toBe(200);
      leave.signal.addEventListener("abort", () => void held.body?.cancel());
    }
    setup.agent.script(Step.CLONE_BUILD, { lines: ["compiling"] });
    const outcome = await world.user.svc(["deploy", "--json", "--app", app.name], {
      env: { SVC_API_KEY: app.caller.key },
    });
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    const said = outcome.events.filter(({ type }) => type === "log").map(({ line }) => String(line));
    expect(said).toEqual([expect.stringMatching(/^The deploy goes on.*20 streams of this app's logs and deploys/)]);
    const steps = outcome.events.filter(({ type }) => type === "step").map(({ step, status }) => [step, status]);
    expect(steps.slice(-3)).toEqual(
      ["clone_build", "deploy_container", "proxy_route"].map((step) => [step, "success"]),
    );
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "success" });
    const logs = await world.user.svc(["logs", "-f", "--app", app.name], { env: { SVC_API_KEY: app.caller.key } });
    expect([logs.status, logs.stderr]).toEqual([1, expect.stringContaining("close one of them, then try again")]);
  } finally {
    leave.abort();
    setup.agent.script(Step.CLONE_BUILD, {});
  }
});

test("a queued deploy is said to be, and followed when its turn comes", async () => {
  const [first, second] = [await setup.addApp(), await setup.addApp()];
  setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" }, {});
  await first.start();
  await until(
    "the first one builds",
    () => setup.agent.calls.filter((call) => call.startsWith("run CLONE_BUILD")).length > 1,
  );
  let shown = "";
  const running = world.user.svc(["deploy", "--app", second.name], {
    env: { SVC_API_KEY: second.caller.key },
    onStart: (child) => child.stdout?.on("data", (data: Buffer) => (shown += data.toString("utf8"))),
  });
  await until("it says that it waits", () => shown.includes("Queued"));
  setup.agent.finish(Step.CLONE_BUILD);
  const outcome = await running;
  expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
  expect(outcome.stdout.trimEnd().split("\n").at(-1)).toMatch(/^Live as /);
});

test("a queued deploy whose app is stopped ends as canceled, the service away for a while or not", async () => {
  const [first, second] = [await setup.addApp(), await setup.addApp()];
  setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" }, {});
  const started = await first.start();
  const proxy = await startCuttingProxy(world.url);
  try {
    let shown = "";
    const running = world.user.svc(["deploy", "--json", "--app", second.name], {
      env: { SVC_URL: proxy.url, SVC_API_KEY: second.caller.key },
      onStart: (child) => child.stdout?.on("data", (data: Buffer) => (shown += data.toString("utf8"))),
    });
    await until("it says that it waits", () => shown.includes('"queued"'));
    const before = proxy.opened();
    proxy.refuse(true);
    // One look, and what it repeats of it, is four connections.
    await until("it looks again", () => proxy.opened() > before + 4);
    proxy.refuse(false);
    expect((await second.caller.call("DELETE", `/api/apps/${second.name}`)).status).toBe(204);
    const outcome = await running;
    expect([outcome.status, outcome.stderr]).toEqual([1, ""]);
    expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "canceled", deploy_id: null });
  } finally {
    await proxy.close();
    setup.agent.script(Step.CLONE_BUILD, {});
    setup.agent.finish(Step.CLONE_BUILD);
  }
  const id = String(started.json["deploy_id"]);
  await eventually(
    async () => (await first.caller.call("GET", `/api/deploys/${id}`)).json["deploy"] as { status: string },
    ({ status }) => status === "success",
    { what: "the first one ends" },
  );
});

test("a failed deploy ends with 1 and the step's reason, in lines for people", async () => {
  const app = await setup.addApp();
  setup.agent.script(Step.CLONE_BUILD, {
    lines: ["\u001b[31mcompiling\u001b[0m"],
    outcome: {
      case: "failure",
      value: { code: "build_failed", message: "The build \u001b[2J\u001b]0;title\u0007ended with 1." },
    },
  });
  const outcome = await world.user.svc(["deploy", "--app", app.name], { env: { SVC_API_KEY: app.caller.key } });
  expect(outcome.status).toBe(1);
  expect(outcome.stdout).toContain("[clone_build] failed");
  expect(outcome.stdout).toContain("  compiling\n");
  // Once: not at the step and at the end again.
  expect((outcome.stdout + outcome.stderr).split("The build ended with 1.")).toHaveLength(2);
  expect(outcome.stderr).toContain("The build ended with 1.");
  // The output holds no sequence that a terminal would obey.
  expect(outcome.stdout + outcome.stderr).not.toContain("\u001b");
  setup.agent.script(Step.CLONE_BUILD, {});
});

const TAKEN_BACK = {
  at: "2026-01-31T12:00:00.000Z",
  reason: "exited",
  detail: "The release was taken back soon after it went live: it ended with exit code 1.",
  exit_code: 1,
  last_lines: ["no table \u001b[2J"],
  release: "v0",
  deploy_id: "0198c0de-7a11-7000-8000-000000000001",
};

test("a deploy that is taken back within 5 s ends with 1, its reason, its last lines and what serves again", async () => {
  const app = await setup.addApp();
  const env = { SVC_API_KEY: app.caller.key };
  const takeBack = async () => {
    const { db } = world.http.database;
    const { numUpdatedRows } = await db
      .updateTable("deploys")
      .set({ taken_back: JSON.stringify(TAKEN_BACK) })
      .where("app_id", "=", app.id)
      .where("status", "=", "success")
      .where("taken_back", "is", null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  };
  const deploy = async (...options: string[]) => {
    const deploying = world.user.svc(["deploy", "--app", app.name, ...options], { env });
    await eventually(takeBack, (isTaken) => isTaken, { what: "the deploy is live", deadlineMs: 30_000 });
    return deploying;
  };
  const plain = await deploy();
  expect(plain.status).toBe(1);
  expect(plain.stderr).toBe(`Error: ${TAKEN_BACK.detail}\nIts last log lines:\nno table \n`);
  expect(plain.stdout).toMatch(/watches it for 5 s more[^]*Taken back\. v0 serves again: https:/);
  expect(plain.stdout).not.toContain("Live as");
  const json = await deploy("--json");
  expect(json.status).toBe(1);
  const { detail: _, at: __, deploy_id: ___, ...fields } = TAKEN_BACK;
  expect(json.events.at(-2)).toMatchObject({ type: "error", code: "taken_back", exit: 1, ...fields });
  expect(json.events.at(-1)).toMatchObject({ type: "done", status: "taken_back", release: "v0" });
});

test("--no-watch says that the app is live as soon as it is", async () => {
  const app = await setup.addApp();
  const env = { SVC_API_KEY: app.caller.key };
  const outcome = await world.user.svc(["deploy", "--no-watch", "--app", app.name], { env });
  expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
  expect(outcome.stdout).toContain("Live as v1");
  expect(outcome.stdout).not.toContain("looked at");
});

test("SIGINT where nobody can be asked leaves with 130, and the deploy goes on", async () => {
  const app = await setup.addApp();
  setup.agent.script(Step.CLONE_BUILD, { lines: ["begun"], outcome: "hang" });
  const outcome = await world.user.svc(["deploy", "--json", "--app", app.name], {
    env: { SVC_API_KEY: app.caller.key },
    onStart: (child) => child.stdout?.on("data", (data: Buffer) => data.includes("begun") && child.kill("SIGINT")),
  });
  expect(outcome.status).toBe(130);
  expect(outcome.events.at(-1)).toMatchObject({ type: "done", status: "running" });
  setup.agent.script(Step.CLONE_BUILD, {});
  setup.agent.finish(Step.CLONE_BUILD);
  const id = String(outcome.events.at(-1)?.["deploy_id"]);
  await eventually(
    async () => (await app.caller.call("GET", `/api/deploys/${id}`)).json["deploy"] as { status: string },
    ({ status }) => status === "success",
    { what: "it ends by itself" },
  );
});

test("a caller who writes too often is let in after the time that the service asks for", async () => {
  const caller = await world.http.addCaller();
  await caller.call("POST", "/api/apps", { name: "busy", repo_url: "https://github.com/you/busy" });
  for (let i = 0; i < 4; i += 1) await caller.call("PUT", "/api/apps/busy/env", { env: { A: String(i) } });
  expect((await caller.call("PUT", "/api/apps/busy/env", { env: { A: "9" } })).status).toBe(429);
  const env = { SVC_API_KEY: caller.key };
  const outcome = await world.user.svc(["env", "set", "B=2", "--app", "busy"], { env });
  expect(outcome.status).toBe(0);
  expect(outcome.stderr).toMatch(/asks to wait \d+ s/);
  expect((await caller.call("GET", "/api/apps/busy/env")).json["env"]).toMatchObject({ B: "2" });
});

test("a log is followed over a connection that is cut, and no line is shown twice or lost", async () => {
  const { http, caller } = world;
  await caller.call("POST", "/api/apps", { name: "chatty", repo_url: "https://github.com/you/chatty" });
  const serverId = await http.addServer("server-of-logs");
  const apps = new ScriptedApps();
  http.links.clients.set(serverId, apps.client());
  await addLiveRelease(
    { db: http.database.db, keyRing: http.keyRing },
    { name: "chatty", userId: caller.userId, serverId },
  );
  apps.log = ["one", "two"];
  const proxy = await startCuttingProxy(world.url);
  try {
    let shown = "";
    const running = world.user.svc(["logs", "-f", "--app", "chatty"], {
      env: { SVC_URL: proxy.url },
      onStart(child) {
        child.stdout?.on("data", (data: Buffer) => {
          shown += data.toString("utf8");
          if (shown.includes("four")) child.kill("SIGINT");
        });
      },
    });
    await until("what was there is shown", () => shown.includes("two"));
    proxy.cut();
    apps.write("three");
    await until("what came meanwhile is shown", () => shown.includes("three"));
    apps.write("four");
    const outcome = await running;
    expect([outcome.status, outcome.stderr]).toEqual([0, ""]);
    expect(
      outcome.stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[1]),
    ).toEqual(["one", "two", "three", "four"]);
  } finally {
    await proxy.close();
  }
});
