import { describe, expect, test } from "vitest";
import { REPO_URL, useAppWorld } from "../../support/api/app-world.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { promise } from "../../support/promises/promise.ts";

const world = useAppWorld();

const act = (action: unknown, who = world.ada) => who.call("POST", `/api/apps/${world.name}/action`, { action });

describe("an action", () => {
  test("stops, starts and restarts a deployed app, says so, and is audited", async () => {
    promise("actions", "an action is answered with app, action and ok");
    const { appId } = await world.live();
    expect(await act("stop")).toMatchObject({ status: 200, json: { app: world.name, action: "stop", status: "ok" } });
    expect((await world.row())!.status).toBe("stopped");
    expect((await act("start")).status).toBe(200);
    expect((await world.row())!.status).toBe("running");
    expect((await act("restart")).status).toBe(200);
    expect(world.agent.calls).toEqual([`stop ${world.name}`, `start ${world.name}`, `restart ${world.name}`]);
    const { rows } = await world.http.database.query("select action from audit_log where target = $1 order by id", [
      `app:${appId}`,
    ]);
    expect(rows.map(({ action }) => action as string)).toEqual(["app.create", "app.stop", "app.start", "app.restart"]);
  });

  test.each([["explode"], [""], [1], [null], [undefined]])("other than the three is refused: %j", async (action) => {
    await world.live();
    expect(await act(action)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(world.agent.calls).toEqual([]);
  });

  test("on an app that was never deployed, or is soft-stopped, is refused", async () => {
    promise("actions", "an action on an app that was never deployed is refused with 409");
    expect(await act("start")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    await world.live();
    await world.ada.call("DELETE", `/api/apps/${world.name}`);
    expect(await act("start")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
  });

  test("while any deploy runs on the same server is refused, also when the agent is the first to know", async () => {
    promise("actions", "an action is refused with 409 while a deploy runs on the same server");
    await world.live();
    world.agent.refusal = "lock_held";
    expect(await act("stop")).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
    world.agent.refusal = undefined;
    const deploying = await startRunning("deploy");
    try {
      expect(await act("stop")).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
      expect((await world.row())!.status).toBe("running");
    } finally {
      await world.http.database.query("delete from deploys where id = $1", [deploying]);
    }
  });

  test("while another app of the server is rolled back is done", async () => {
    await world.live();
    const deploying = await startRunning("rollback");
    try {
      for (const action of ["stop", "start", "restart"]) expect(await act(action)).toMatchObject({ status: 200 });
    } finally {
      await world.http.database.query("delete from deploys where id = $1", [deploying]);
    }
  });

  async function startRunning(kind: "deploy" | "rollback"): Promise<unknown> {
    const other = `${world.name}-other`;
    await world.ada.call("POST", "/api/apps", { name: other, repo_url: REPO_URL });
    const { rows } = await world.http.database.query(
      `insert into deploys (id, app_id, user_id, server_id, status, release, started_at, kind, target_release_id)
       select gen_random_uuid(), id, owner_id, $2, 'running', 'running', now(), $3::text, case $3::text when 'rollback' then (select current_release_id from apps where name = $4) end from apps where name = $1 returning id`,
      [other, world.serverId, kind, world.name],
    );
    return rows[0]!["id"];
  }

  test("right after a deploy waits for the host's lock, which the deploy is about to give back", async () => {
    await world.live();
    world.agent.refusal = "lock_held";
    const acting = act("stop");
    const isWaiting = (): boolean => world.agent.refused >= 2;
    await eventually(isWaiting, Boolean, { what: "the call is made again" });
    world.agent.refusal = undefined;
    expect(await acting).toMatchObject({ status: 200 });
    expect((await world.row())!.status).toBe("stopped");
  });

  test("under which a deploy is asked for is what that deploy goes back to", async () => {
    await world.live();
    for (const [action, status] of [
      ["stop", "stopped"],
      ["start", "running"],
    ] as const) {
      // Its agent goes away, so that the deploy waits until it is canceled.
      world.agent.whileActing = async () => {
        world.http.links.linked.delete(world.serverId);
        expect((await world.ada.call("POST", `/api/apps/${world.name}/deploy`, {})).json).toEqual({ status: "queued" });
      };
      expect((await act(action)).status).toBe(200);
      expect((await world.row())!.status).toBe("deploying");
      const query = "select id from deploys where app_id = $1 and status = 'pending'";
      const [waiting] = (await world.http.database.query(query, [(await world.row())!.id])).rows;
      expect((await world.ada.call("POST", `/api/deploys/${waiting!["id"] as string}/cancel`)).status).toBe(202);
      expect((await world.row())!.status).toBe(status);
      world.http.links.linked.add(world.serverId);
    }
  });

  test("that the agent can't do changes nothing and says why", async () => {
    await world.live();
    world.agent.refusal = "app_not_listening";
    expect(await act("restart")).toMatchObject({ status: 422, json: { error: "app_not_listening" } });
    world.agent.refusal = "not_found";
    expect(await act("stop")).toMatchObject({ status: 409, json: { error: "never_deployed" } });
    world.http.links.linked.delete(world.serverId);
    expect(await act("stop")).toMatchObject({ status: 503, json: { error: "agent_away" } });
    expect((await world.row())!.status).toBe("running");
  });

  test("on another owner's app is not found, and needs the scope deploys:write", async () => {
    promise("actions", "an action on another owner's app is answered with 404");
    await world.live();
    expect(await act("stop", await world.http.addCaller())).toMatchObject({
      status: 404,
      json: { error: "not_found" },
    });
    const reader = await world.http.addCaller({ userId: world.ada.userId, scopes: ["apps:write", "deploys:read"] });
    expect(await act("stop", reader)).toMatchObject({ status: 403, json: { error: "insufficient_scope" } });
    expect(world.agent.calls).toEqual([]);
  });
});
