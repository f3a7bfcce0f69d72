import { systemClock } from "@svc/shared/clock.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { startRemovals } from "@svc/control-plane/pipeline/removals.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startTestApi, type Caller, type Reply, type TestApi } from "../support/http.ts";
import { addLiveRelease, ScriptedApps } from "../support/scripted-apps.ts";

const repo_url = "https://git.example.test/team/app.git";

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
  await ada.call("POST", "/api/apps", { name, repo_url });
});

const live = () =>
  addLiveRelease({ db: http.database.db, keyRing: http.keyRing }, { name, userId: ada.userId, serverId });
const row = async () => http.database.db.selectFrom("apps").selectAll().where("name", "=", name).executeTakeFirst();
const remove = (query = "", who = ada) => who.call("DELETE", `/api/apps/${name}${query}`);
const removals = async () => http.database.db.selectFrom("app_removals").selectAll().execute();
const patch = (body: unknown) => ada.call("PATCH", `/api/apps/${name}`, body);

describe("a patch", () => {
  test("changes what is given and answers the app as persisted", async () => {
    const before = await row();
    const reply = await patch({ port: 8080, framework: "go", repo_url: "https://git.example.test/other" });
    expect(reply).toMatchObject({
      status: 200,
      json: { app: { name, port: 8080, framework: "go", git_repo: "https://git.example.test/other" } },
    });
    expect((await patch({ port: 65535 })).json["app"]).toMatchObject({ port: 65535, framework: "go" });
    expect((await row())!.updated_at.getTime()).toBeGreaterThan(before!.updated_at.getTime());
    expect((await row())!.status).toBe(before!.status);
    expect(reply.json["app"]).toMatchObject({ url: `https://${name}.apps.localhost:8443` });
  });

  test("leaves the container as it runs, and so do variables", async () => {
    await live();
    expect((await patch({ port: 8080 })).status).toBe(200);
    expect((await ada.call("PUT", `/api/apps/${name}/env`, { env: { KEY: "value" } })).status).toBe(200);
    expect((await ada.call("DELETE", `/api/apps/${name}/env/KEY`)).status).toBe(204);
    expect(agent.calls).toEqual([]);
    expect((await row())!.status).toBe("running");
  });

  test.each([
    [{}],
    [{ port: 0 }],
    [{ port: 65536 }],
    [{ port: null }],
    [{ framework: "cobol" }],
    [{ repo_url: "http://git.example.test/x" }],
    [{ repo_url: "https://user:pw@git.example.test/x" }],
    [{ name: "other" }],
    ["[]"],
  ])("is refused as a whole: %j", async (body) => {
    const before = await row();
    expect(await patch(body)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(await row()).toEqual(before);
  });

  test("of another owner's app is not found", async () => {
    const bob = await http.addCaller();
    expect((await bob.call("PATCH", `/api/apps/${name}`, { port: 1 })).status).toBe(404);
    expect((await remove("", bob)).status).toBe(404);
    expect(await row()).toBeDefined();
  });
});

describe("a soft stop", () => {
  test("takes the app off its server and keeps record, name, place in the list and in the limit", async () => {
    await live();
    expect((await remove()).status).toBe(204);
    expect(agent.calls).toEqual([`remove ${name}`]);
    expect(await row()).toMatchObject({ status: "soft_stopped", current_release_id: null });
    const { apps } = (await ada.call("GET", "/api/apps")).json as { apps: { name: string }[] };
    expect(apps.map((app) => app.name)).toContain(name);
    expect((await ada.call("POST", "/api/apps", { name, repo_url })).json["error"]).toBe("name_in_use_by_stopped_app");
    expect((await remove()).status).toBe(204);
    expect(await removals()).toEqual([]);
  });

  test("of an app that was never deployed needs no agent", async () => {
    http.links.linked.delete(serverId);
    expect((await remove()).status).toBe(204);
    expect((await row())!.status).toBe("soft_stopped");
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await row()).toBeUndefined();
    expect(await removals()).toEqual([]);
  });

  test("is forgotten when the app is deployed before the agent is back", async () => {
    await live();
    http.links.linked.delete(serverId);
    expect((await remove()).status).toBe(204);
    expect(await removals()).toHaveLength(1);
    expect((await ada.call("POST", `/api/apps/${name}/deploy`, {})).status).toBe(202);
    expect(await removals()).toEqual([]);
    expect((await row())!.status).toBe("deploying");
  });

  test("is asked for again when the deploy that took it back is canceled: what serves on the host goes after all", async () => {
    await live();
    http.links.linked.delete(serverId);
    expect((await remove()).status).toBe(204);
    expect((await ada.call("POST", `/api/apps/${name}/deploy`, {})).status).toBe(202);
    expect(await removals()).toEqual([]);
    expect((await remove()).status).toBe(204);
    expect(await row()).toMatchObject({ status: "soft_stopped" });
    expect(await removals()).toMatchObject([{ app_name: name, server_id: serverId, purge: false }]);
    http.links.linked.add(serverId);
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await removals()).toEqual([]);
  });

  test("that runs keeps a deploy from starting under it", async () => {
    await live();
    let during: { status: number } | undefined;
    agent.whileRemoving = async () => (during = await ada.call("POST", `/api/apps/${name}/deploy`, {}));
    expect((await remove()).status).toBe(204);
    expect(during).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
  });
});

test.each(["", "?purge=1"])(
  "a removal (%s) right after a deploy waits for the lock that the deploy gives back",
  async (query) => {
    await live();
    agent.refusal = "deploy_in_progress";
    const removing = remove(query);
    await eventually(() => agent.refused >= 2, Boolean, { what: "the call is made again" });
    agent.refusal = undefined;
    expect(await removing).toMatchObject({ status: 204 });
    expect(agent.calls).toHaveLength(1);
    expect(await removals()).toEqual([]);
  },
);

describe("a purge", () => {
  test("frees the name; what belonged to the app is not found any more", async () => {
    const { deployId } = await live();
    await ada.call("PUT", `/api/apps/${name}/env`, { env: { KEY: "value" } });
    expect((await remove("?purge=1")).status).toBe(204);
    expect(agent.calls).toEqual([`remove ${name} purge`]);
    expect((await ada.call("GET", `/api/deploys/${deployId}`)).status).toBe(404);
    expect((await remove("?purge=1")).status).toBe(404);
    expect((await ada.call("POST", "/api/apps", { name, repo_url })).status).toBe(201);
    expect((await ada.call("GET", `/api/apps/${name}/env`)).json).toEqual({ env: {} });
    expect(await removals()).toEqual([]);
  });

  test("that the agent refuses keeps record and data, and can be asked for again", async () => {
    await live();
    agent.refusal = "database_dump_failed";
    expect(await remove("?purge=1")).toMatchObject({ status: 503, json: { error: "database_dump_failed" } });
    expect((await row())!.status).toBe("soft_stopped");
    expect(await removals()).toMatchObject([{ purge: false }]);
    agent.refusal = undefined;
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await row()).toBeUndefined();
    expect(await removals()).toEqual([]);
  });

  describe("that is asked for twice at once", () => {
    /** The second arrives while the agent is at the first one's. */
    async function twice() {
      const second = new Promise<Reply>((resolve) => {
        agent.whileRemoving = async () => {
          agent.whileRemoving = () => Promise.resolve();
          const asked = remove("?purge=1");
          void asked.then(resolve);
          await eventually(purges, (requests) => requests === 2, { what: "the second is on record" });
        };
      });
      return Promise.all([remove("?purge=1"), second]);
    }

    async function purges(): Promise<number> {
      const query =
        "select count(*)::integer as count from audit_log where action = 'app.purge' and detail->>'name' = $1";
      return (await http.database.query(query, [name])).rows[0]!["count"] as number;
    }

    test("is done once", async () => {
      await live();
      expect((await twice()).map(({ status }) => status)).toEqual([204, 204]);
      expect(agent.calls).toEqual([`remove ${name} purge`]);
      expect(await row()).toBeUndefined();
      expect(await removals()).toEqual([]);
    });

    test("and is refused, keeps the record and tells both", async () => {
      await live();
      agent.refusal = "database_dump_failed";
      const refused = { status: 503, json: { error: "database_dump_failed" } };
      expect(await twice()).toMatchObject([refused, refused]);
      expect((await row())!.status).toBe("soft_stopped");
      expect(await removals()).toMatchObject([{ purge: false }]);
      agent.refusal = undefined;
      expect((await remove("?purge=1")).status).toBe(204);
    });
  });

  test.each(["?purge=2", "?purge=", "?purge=true", "?force=1"])("is not asked for with %s", async (query) => {
    expect(await remove(query)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(await row()).toBeDefined();
  });

  test("while the agent is away frees the name at once and reaches the host when it is back", async () => {
    await live();
    http.links.linked.delete(serverId);
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await row()).toBeUndefined();
    http.links.linked.add(serverId);
    const { db } = http.database;
    const sweeper = startRemovals({ db, links: http.links, clock: systemClock, log: silentLogger });
    try {
      await eventually(removals, (rows) => rows.length === 0, { what: "the removal is done" });
    } finally {
      await sweeper.stop();
    }
    expect(agent.calls).toEqual([`remove ${name} purge`]);
  });

  test("of an app whose deploy waits cancels the deploy first", async () => {
    http.links.linked.delete(serverId);
    expect((await ada.call("POST", `/api/apps/${name}/deploy`, {})).json).toEqual({ status: "queued" });
    expect((await remove()).status).toBe(204);
    const { rows } = await http.database.query(
      "select d.status from deploys d join apps a on a.id = d.app_id where a.name = $1",
      [name],
    );
    expect(rows).toEqual([{ status: "canceled" }]);
    expect((await row())!.status).toBe("soft_stopped");
  });
});
