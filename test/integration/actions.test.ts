import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startTestApi, type Caller, type TestApi } from "../support/http.ts";
import { addLiveRelease, ScriptedApps } from "../support/scripted-apps.ts";

let http: TestApi;
let ada: Caller;
let serverId: string;
let agent: ScriptedApps;
let count = 0;
let name: string;

beforeAll(async () => {
  http = await startTestApi();
  ada = await http.addCaller();
  serverId = await http.addServer("server-1");
});
afterAll(() => http?.stop());

beforeEach(async () => {
  agent = new ScriptedApps();
  http.links.clients.set(serverId, agent.client());
  http.links.linked.add(serverId);
  name = `app-${++count}`;
  await ada.call("POST", "/api/apps", { name, repo_url: "https://git.example.test/team/app.git" });
});

const act = (action: unknown, who = ada) => who.call("POST", `/api/apps/${name}/action`, { action });
const live = () =>
  addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, { name, userId: ada.userId, serverId });
const row = async () =>
  http.database.db.selectFrom("apps").selectAll().where("name", "=", name).executeTakeFirstOrThrow();

describe("an action", () => {
  test("stops, starts and restarts a deployed app, says so, and is audited", async () => {
    const { appId } = await live();
    expect(await act("stop")).toMatchObject({ status: 200, json: { app: name, action: "stop", status: "ok" } });
    expect((await row()).status).toBe("stopped");
    expect((await act("start")).status).toBe(200);
    expect((await row()).status).toBe("running");
    expect((await act("restart")).status).toBe(200);
    expect(agent.calls).toEqual([`stop ${name}`, `start ${name}`, `restart ${name}`]);
    const { rows } = await http.database.query("select action from audit_log where target = $1 order by id", [
      `app:${appId}`,
    ]);
    expect(rows.map(({ action }) => action as string)).toEqual(["app.create", "app.stop", "app.start", "app.restart"]);
  });

  test.each([["explode"], [""], [1], [null], [undefined]])("other than the three is refused: %j", async (action) => {
    await live();
    expect(await act(action)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(agent.calls).toEqual([]);
  });

  test("on an app that was never deployed, or is soft-stopped, is refused", async () => {
    expect(await act("start")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    await live();
    await ada.call("DELETE", `/api/apps/${name}`);
    expect(await act("start")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
  });

  test("while any deploy runs on the same server is refused, also when the agent is the first to know", async () => {
    await live();
    agent.refusal = "lock_held";
    expect(await act("stop")).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
    agent.refusal = undefined;
    const other = `${name}-other`;
    await ada.call("POST", "/api/apps", { name: other, repo_url: "https://git.example.test/team/app.git" });
    const { rows } = await http.database.query(
      `insert into deploys (id, app_id, user_id, server_id, status, release, started_at)
       select gen_random_uuid(), id, owner_id, $2, 'running', 'v1', now() from apps where name = $1 returning id`,
      [other, serverId],
    );
    try {
      expect(await act("stop")).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
      expect((await row()).status).toBe("running");
    } finally {
      await http.database.query("delete from deploys where id = $1", [rows[0]!["id"]]);
    }
  });

  test("right after a deploy waits for the host's lock, which the deploy is about to give back", async () => {
    await live();
    agent.refusal = "lock_held";
    const acting = act("stop");
    const isWaiting = (): boolean => agent.refused >= 2;
    await eventually(isWaiting, Boolean, { what: "the call is made again" });
    agent.refusal = undefined;
    expect(await acting).toMatchObject({ status: 200 });
    expect((await row()).status).toBe("stopped");
  });

  test("under which a deploy is asked for is what that deploy goes back to", async () => {
    await live();
    for (const [action, status] of [
      ["stop", "stopped"],
      ["start", "running"],
    ] as const) {
      // Its agent goes away, so that the deploy waits until it is canceled.
      agent.whileActing = async () => {
        http.links.linked.delete(serverId);
        expect((await ada.call("POST", `/api/apps/${name}/deploy`, {})).json).toEqual({ status: "queued" });
      };
      expect((await act(action)).status).toBe(200);
      expect((await row()).status).toBe("deploying");
      const query = "select id from deploys where app_id = $1 and status = 'pending'";
      const [waiting] = (await http.database.query(query, [(await row()).id])).rows;
      expect((await ada.call("POST", `/api/deploys/${waiting!["id"] as string}/cancel`)).status).toBe(202);
      expect((await row()).status).toBe(status);
      http.links.linked.add(serverId);
    }
  });

  test("that the agent can't do changes nothing and says why", async () => {
    await live();
    agent.refusal = "app_not_listening";
    expect(await act("restart")).toMatchObject({ status: 422, json: { error: "app_not_listening" } });
    agent.refusal = "not_found";
    expect(await act("stop")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    http.links.linked.delete(serverId);
    expect(await act("stop")).toMatchObject({ status: 503, json: { error: "agent_away" } });
    expect((await row()).status).toBe("running");
  });

  test("on another owner's app is not found, and needs the scope deploys:write", async () => {
    await live();
    expect(await act("stop", await http.addCaller())).toMatchObject({ status: 404, json: { error: "not_found" } });
    const reader = await http.addCaller({ userId: ada.userId, scopes: ["apps:write", "deploys:read"] });
    expect(await act("stop", reader)).toMatchObject({ status: 403, json: { error: "insufficient_scope" } });
    expect(agent.calls).toEqual([]);
  });
});
