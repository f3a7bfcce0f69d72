import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_TIERS } from "@svc/control-plane/accounts/tier.ts";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { DeployingApi, failed, type DeployedApp } from "../../support/api/deploying-api.ts";
import { addLiveRelease } from "../../support/api/scripted-apps.ts";
import { startTestApi, type Caller, type TestApi } from "../../support/api/http.ts";
import { deployEnd } from "../../support/api/pipeline.ts";
import { makeTeam } from "../../support/api/team-world.ts";
import { connectMcp } from "../../support/assistant/mcp-client.ts";
import { startTalk, type HeardTurn } from "../../support/assistant/talk.ts";
import { lastOf, startModelDouble, type ModelDouble } from "../../support/doubles/model-double.ts";
import { Browser } from "../../support/people/person.ts";

let model: ModelDouble;
/** With the model, and by the grammar alone. */
let worlds: Record<"model" | "grammar", { http: TestApi; setup: DeployingApi }>;

async function startWorld(options: Parameters<typeof startTestApi>[0]) {
  const http = await startTestApi(options);
  return { http, setup: await DeployingApi.start(http) };
}

beforeAll(async () => {
  model = await startModelDouble();
  const config = { url: model.url, name: "small-1", key: model.key };
  worlds = { model: await startWorld({ model: config }), grammar: await startWorld({}) };
});
afterAll(async () => {
  for (const { http, setup } of Object.values(worlds ?? {})) {
    await setup.stopWorker();
    await http.stop();
  }
  await model?.close();
});
beforeEach(() => {
  model.requests.length = 0;
  model.bodies.length = 0;
  model.script = () => ({ say: "Done." });
});

/** The deploy that a card's result leads to. */
function deployOf({ cards }: HeardTurn): string {
  const [, id] = /\/apps\/[a-z0-9-]+\/deploys\/([0-9a-f-]{36})/.exec(cards.at(-1)?.result ?? "") ?? [];
  if (id === undefined) throw new Error(`no deploy in ${cards.at(-1)?.result}`);
  return id;
}

async function newestRef({ http }: { http: TestApi }, app: DeployedApp): Promise<unknown> {
  const { rows } = await http.database.query("select ref from deploys where app_id = $1 order by seq desc", [app.id]);
  return rows[0]?.["ref"];
}

describe.each(["model", "grammar"] as const)("by the %s", (which) => {
  it("deploys from a branch, after a click", async () => {
    const { http, setup } = worlds[which];
    const app = await setup.addApp();
    model.script = (request) =>
      lastOf(request).role === "user"
        ? { say: "Here it is.", calls: [{ name: "deploy", arguments: { app: app.name, ref: "main" } }] }
        : { say: `It goes on: ${lastOf(request).content}` };
    const talk = await startTalk(app.caller);
    const shown = await talk.say(`deploy ${app.name} from main`);
    expect(shown.cards).toMatchObject([
      {
        state: "proposed",
        sentence: `deploy ${app.name} from main`,
        destroys: false,
        requests: [{ method: "POST", path: `/api/apps/${app.name}/deploy`, body: { ref: "main" } }],
        signature: expect.any(String),
      },
    ]);
    expect(shown.events.at(-1)?.event).toBe("done");
    expect(await app.listed()).toEqual([]);
    const done = await talk.decide(shown.cards[0]!, "do");
    expect(done.cards).toMatchObject([{ state: "done", result: expect.stringContaining("began") }]);
    expect((await deployEnd(http.database.db, deployOf(done))).status).toBe("success");
    expect(await newestRef(worlds[which], app)).toBe("main");
    const row = await http.database.query(
      "select detail from audit_log where action = 'deploy.start' and target = $1",
      [`deploy:${deployOf(done)}`],
    );
    expect(row.rows).toMatchObject([{ detail: { via: "chat" } }]);
    if (which === "model") expect(done.text).toContain("It goes on: Deploy");
  });

  it("says why the last deploy failed", async () => {
    const { setup, http } = worlds[which];
    const app = await setup.addApp();
    setup.agent.script(Step.CLONE_BUILD, failed("build_failed", "npm says no"));
    const { json } = await app.start();
    await deployEnd(http.database.db, String(json["deploy_id"]));
    await app.lockFreed();
    model.script = (request) =>
      lastOf(request).role === "user"
        ? { calls: [{ name: "explain_failure", arguments: { app: app.name } }] }
        : { say: `The build failed: ${/npm says no/.exec(lastOf(request).content)?.[0]}` };
    const heard = await (await startTalk(app.caller)).say("why did the last deploy fail?", { app: app.name });
    expect(heard.looked).toEqual(["explain_failure"]);
    expect(heard.cards).toEqual([]);
    const told =
      which === "model" ? heard.text : String(heard.events.find(({ event }) => event === "looked")?.data["text"]);
    expect(told).toContain("npm says no");
    expect(told).not.toContain("<data");
  });

  it("says why a release failed, also one before the last", async () => {
    const { setup, http } = worlds[which];
    const app = await setup.addApp();
    for (const reason of ["npm says no", "the disk is full"]) {
      setup.agent.script(Step.CLONE_BUILD, failed("build_failed", reason));
      const { json } = await app.start();
      await deployEnd(http.database.db, String(json["deploy_id"]));
      await app.lockFreed();
    }
    model.script = (request) =>
      lastOf(request).role === "user"
        ? { calls: [{ name: "explain_failure", arguments: { app: app.name, release: "v1" } }] }
        : { say: `The build failed: ${/npm says no/.exec(lastOf(request).content)?.[0]}` };
    const talk = await startTalk(app.caller);
    const told = (heard: HeardTurn) =>
      which === "model" ? heard.text : String(heard.events.find(({ event }) => event === "looked")?.data["text"]);
    expect(told(await talk.say("why did v1 fail?", { app: app.name }))).toContain("npm says no");
    if (which === "model") return;
    expect(told(await talk.say("why did v2 fail?", { app: app.name }))).toContain("the disk is full");
    expect(told(await talk.say("why did v3 fail?", { app: app.name }))).toBe(
      "No failed deploy of v3 is among the newest 2.",
    );
  });

  it("sets a variable and deploys, on one card, and neither the model nor the database sees the value", async () => {
    const { setup, http } = worlds[which];
    const app = await setup.addApp();
    model.script = (request) => {
      const { role } = lastOf(request);
      if (role !== "user") return { say: "Both are done." };
      const variables = { LOG_LEVEL: "«value 1»" };
      return {
        calls: [
          { name: "set_variables", arguments: { app: app.name, variables } },
          { name: "deploy", arguments: { app: app.name } },
        ],
      };
    };
    const talk = await startTalk(app.caller);
    const shown = await talk.say(`set LOG_LEVEL=chatty-71 on ${app.name} and redeploy`);
    expect(shown.cards).toMatchObject([
      {
        sentence: `set LOG_LEVEL of ${app.name}, then deploy ${app.name}`,
        requests: [{ method: "PUT", body: { env: { LOG_LEVEL: "…" } } }, { method: "POST" }],
      },
    ]);
    const done = await talk.decide(shown.cards[0]!, "do");
    expect(done.cards).toMatchObject([{ state: "done" }]);
    await deployEnd(http.database.db, deployOf(done));
    await app.lockFreed();
    const { json } = await app.caller.call("GET", `/api/apps/${app.name}/env`);
    expect(json).toMatchObject({ env: { LOG_LEVEL: "chatty-71" } });
    expect(model.bodies.join("\n")).not.toContain("chatty-71");
    const { rows } = await http.database.query(
      "select parts::text from conversation_messages union all select title from conversations union all select results::text from cards union all select encode(content, 'escape') from cards",
    );
    expect(JSON.stringify(rows)).not.toContain("chatty-71");
    expect(JSON.stringify(await talk.messages())).not.toContain("chatty-71");
  });

  it("rolls an app back", async () => {
    const { setup } = worlds[which];
    const app = await setup.addApp();
    await app.deploy("a");
    await app.deploy("b");
    model.script = (request) =>
      lastOf(request).role === "user"
        ? { calls: [{ name: "roll_back", arguments: { app: app.name } }] }
        : { say: "It is back." };
    const talk = await startTalk(app.caller);
    const shown = await talk.say(`roll ${app.name} back`);
    expect(shown.cards).toMatchObject([{ sentence: `roll ${app.name} back to the release before` }]);
    const done = await talk.decide(shown.cards[0]!, "do");
    expect(done.cards).toMatchObject([{ state: "done", result: `Rolled ${app.name} back.` }]);
    expect(await app.view()).toMatchObject({ current_release: "v1" });
  });

  it("does nothing that the person leaves", async () => {
    const { setup } = worlds[which];
    const app = await setup.addApp();
    model.script = () => ({
      calls: [
        { name: "delete_app", arguments: { app: app.name } },
        { name: "act_on_app", arguments: { app: app.name, action: "stop" } },
      ],
    });
    const talk = await startTalk(app.caller);
    const [card] = (await talk.say(`stop ${app.name}`)).cards;
    const left = await talk.decide(card!, "leave");
    expect(left.events.map(({ event }) => event)).toEqual(["card", "done"]);
    expect(left.cards).toMatchObject([{ state: "left" }]);
    expect((await talk.decide(card!, "do")).error).toBe("card_closed");
  });

  it("stops at the first action that is refused, in the words of the API", async () => {
    const { setup } = worlds[which];
    const app = await setup.addApp();
    model.script = (request) =>
      lastOf(request).role === "user"
        ? {
            calls: [
              { name: "set_variables", arguments: { app: app.name, variables: { PORT: "«value 1»" } } },
              { name: "deploy", arguments: { app: app.name } },
            ],
          }
        : { say: "It was refused." };
    const talk = await startTalk(app.caller);
    const [card] = (await talk.say(`set SVC_APP=1 on ${app.name} and redeploy`)).cards;
    const done = await talk.decide(card!, "do");
    expect(done.cards).toMatchObject([{ state: "failed", result: expect.stringContaining("reserved_env_key") }]);
    expect(await app.listed()).toEqual([]);
  });

  it("answers a viewer who wants to deploy without a card", async () => {
    const { http, setup } = worlds[which];
    const app = await setup.addApp();
    const viewer = await http.addCaller();
    await http.database.query("insert into team_members (team_id, user_id, role) values ($1, $2, 'viewer')", [
      app.caller.userId,
      viewer.userId,
    ]);
    const looking = await http.addCaller({ userId: viewer.userId, teamId: app.caller.userId });
    model.script = (request) =>
      lastOf(request).role === "user"
        ? { calls: [{ name: "deploy", arguments: { app: app.name } }] }
        : { say: "You may not." };
    const heard = await (await startTalk(looking)).say(`deploy ${app.name}`);
    expect(heard.cards).toEqual([]);
    expect(heard.text).toMatch(/not/);
    const names = model.requests.flatMap(({ tools = [] }) => tools.map((tool) => tool.function.name));
    expect(names).not.toContain("deploy");
    if (which === "model") expect(names).toContain("list_apps");
  });
});

describe("a card of a model", () => {
  it("shows a value that the model has made up, and not the person's own", async () => {
    const app = await worlds.model.setup.addApp();
    const variables = { TOKEN: "«value 1»", COPY: "https://elsewhere.example/?«value 1»" };
    model.script = () => ({ calls: [{ name: "set_variables", arguments: { app: app.name, variables } }] });
    const shown = await (await startTalk(app.caller)).say("set TOKEN=hunter22");
    expect(shown.cards).toMatchObject([{ requests: [{ body: { env: { ...variables, TOKEN: "…" } } }] }]);
    expect(JSON.stringify(shown.cards)).not.toContain("hunter22");
  });
});

it("the activity is told of the teams that somebody who is signed in owns, and of no other of theirs", async () => {
  const { http } = worlds.grammar;
  const { id } = await makeTeam(http, "Rockets");
  const browser = await new Browser(http).join("bea@example.test");
  await http.database.query(
    "insert into team_members (team_id, user_id, role) select $1, id, 'viewer' from users where email = $2",
    [id, "bea@example.test"],
  );
  const call: Caller["call"] = (method, path, body) =>
    browser.send(method, path, body === undefined ? "" : JSON.stringify(body));
  await call("POST", "/api/apps", { name: "bea-shop", repo_url: "https://github.com/you/shop" });
  const heard = await (await startTalk({ call })).say("who did what?");
  const told = String(heard.events.find(({ event }) => event === "looked")?.data["text"]);
  expect(told).toContain("app.create bea-shop by bea@example.test");
  expect(told).not.toContain("Rockets");
});

describe("together with REST and MCP", () => {
  it("waits behind the same lock", async () => {
    const { setup, http } = worlds.grammar;
    const app = await setup.addApp();
    const talk = await startTalk(app.caller);
    const [card] = (await talk.say(`deploy ${app.name}`)).cards;
    setup.agent.script(Step.CLONE_BUILD, { outcome: "hang" }, {});
    const first = await app.start({});
    await setup.untilCalled("run CLONE_BUILD 1");
    const overRest = await app.start({});
    const { call } = await connectMcp(http, app.caller.key);
    const overMcp = await call("deploy", { app: app.name, confirm: app.name });
    const inChat = await talk.decide(card!, "do");
    expect(overRest.status).toBe(409);
    const refusal = `${String(overRest.json["error"])}: ${String(overRest.json["detail"])}`;
    expect(overMcp).toEqual({ isError: true, text: refusal });
    expect(inChat.cards).toMatchObject([{ state: "failed", result: refusal }]);
    await app.caller.call("POST", `/api/deploys/${String(first.json["deploy_id"])}/cancel`);
    await deployEnd(http.database.db, String(first.json["deploy_id"]));
  });

  it("counts against the same limit of writes, and nothing of the chat itself does", async () => {
    const tiers = { ...DEFAULT_TIERS, team: { ...DEFAULT_TIERS["team"]!, writes: { perMinute: 1, burst: 4 } } };
    const http = await startTestApi({ tiers });
    try {
      const ada = await http.addCaller();
      await ada.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
      const cards = await Promise.all(
        ["A=1", "B=2"].map(async (setting) => {
          const talk = await startTalk(ada);
          return { talk, card: (await talk.say(`set ${setting}`)).cards[0]! };
        }),
      );
      const [first, second] = [cards[0]!, cards[1]!];
      expect((await first.talk.decide(first.card, "do")).cards).toMatchObject([{ state: "done" }]);
      const { call } = await connectMcp(http, ada.key);
      const input = { app: "shop", variables: { C: "3" }, confirm: "shop" };
      expect(await call("set_variables", input)).toMatchObject({ isError: false });
      expect((await ada.call("PUT", "/api/apps/shop/env", { env: { D: "4" } })).status).toBe(200);
      const over = /^rate_limited: You may change things 1 times a minute, 4 times at once/;
      expect((await ada.call("PUT", "/api/apps/shop/env", { env: { E: "5" } })).json["error"]).toBe("rate_limited");
      expect((await call("set_variables", input)).text).toMatch(over);
      expect((await second.talk.decide(second.card, "do")).cards).toMatchObject([
        { state: "failed", result: expect.stringMatching(over) },
      ]);
      expect((await ada.call("GET", "/api/apps/shop/env")).json).toMatchObject({ env: { A: "1", C: "3", D: "4" } });
    } finally {
      await http.stop();
    }
  });
});

describe("an app that is broken", () => {
  const shownBy = (heard: HeardTurn) =>
    heard.events.filter(({ event }) => event === "looked").map(({ data }) => String(data["text"]));

  it("is listed with why, when its last deploy failed, and no other is", async () => {
    const { setup, http } = worlds.grammar;
    const app = await setup.addApp();
    await app.caller.call("POST", "/api/apps", { name: "calm", repo_url: "https://github.com/you/calm" });
    const talk = await startTalk(app.caller);
    expect(shownBy(await talk.say("what is broken?"))).toEqual(["Nothing is broken."]);
    setup.agent.script(Step.CLONE_BUILD, failed("build_failed", "npm says no"));
    const { json } = await app.start();
    await deployEnd(http.database.db, String(json["deploy_id"]));
    await app.lockFreed();
    expect(shownBy(await talk.say("what is broken?"))).toEqual([`${app.name}: its last deploy failed (v1)`]);
    const [state] = shownBy(await talk.say(`why is ${app.name} unhealthy?`));
    expect(state).toMatch(/^last deploy that ended: v1, failed, \d{4}-/m);
    const [told] = shownBy(await talk.say(`why did ${app.name} fail?`));
    expect(told).toContain("npm says no");
    expect(told).toContain("It changed nothing that serves.");
    // It lost what it ran on, and no deploy of it has failed.
    await addLiveRelease(http.parts, {
      name: "calm",
      userId: app.caller.userId,
      serverId: await http.addServer("gone"),
    });
    await http.database.query("update apps set status = 'failed', current_release_id = null where name = 'calm'");
    expect(shownBy(await talk.say("what is broken?"))[0]).toContain("calm: it has failed: nothing of it serves");
  });

  it("says why it is unhealthy, or that its server is away, and since when, and its log is read", async () => {
    const { http } = worlds.grammar;
    const ada = await http.addCaller();
    await ada.call("POST", "/api/apps", { name: "worker", repo_url: "https://github.com/ada/worker" });
    const { database, keyRing } = http;
    const serverId = await http.addServer("of-worker");
    await addLiveRelease({ db: database.db, keyRing }, { name: "worker", userId: ada.userId, serverId });
    const since = "2026-01-31T12:00:00.000Z";
    const health = { state: "unhealthy", reason: "crash_loop", since };
    await database.query("update servers set link_until = now() + interval '1 hour' where id = $1", [serverId]);
    await database.query(
      "insert into server_hearings (server_id, heard_at) values ($1, now()) on conflict (server_id) do update set heard_at = now()",
      [serverId],
    );
    await database.query("update apps set health = $1 where name = 'worker'", [JSON.stringify(health)]);
    const talk = await startTalk(ada);
    const words = `unhealthy since ${since}: it ends again and again`;
    expect(shownBy(await talk.say("what is broken?"))).toEqual([`worker: ${words}`]);
    const heard = await talk.say("why did worker crash?");
    expect(heard.looked).toEqual(["read_app", "read_logs"]);
    expect(shownBy(heard)[0]).toContain(`health: ${words}\n`);

    await database.query("update servers set link_until = now() - interval '1 hour' where id = $1", [serverId]);
    await database.query("update server_hearings set heard_at = now() - interval '1 hour' where server_id = $1", [
      serverId,
    ]);
    expect(shownBy(await talk.say("what is broken?"))).toEqual([
      expect.stringMatching(/^worker: unknown.*: its server /),
    ]);
  });
});
