import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startRemovals } from "@svc/control-plane/apps/removal/removals.ts";
import { describe, expect, test } from "vitest";
import { REPO_URL, useAppWorld } from "../../support/api/app-world.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Reply } from "../../support/api/http.ts";
import { promise } from "../../support/promises/promise.ts";

const world = useAppWorld();

const remove = (query = "", who = world.ada) => who.call("DELETE", `/api/apps/${world.name}${query}`);
const removals = async () => world.http.database.db.selectFrom("app_removals").selectAll().execute();
const patch = (body: unknown) => world.ada.call("PATCH", `/api/apps/${world.name}`, body);

describe("a patch", () => {
  test("changes what is given and answers the app as persisted", async () => {
    promise(
      "apps",
      "an app that is created, listed or changed is answered with its URL",
      "a changed app is answered with 200, as it was stored",
    );
    const before = await world.row();
    const reply = await patch({ port: 8080, framework: "go", repo_url: "https://git.example.test/other" });
    expect(reply).toMatchObject({
      status: 200,
      json: { app: { name: world.name, port: 8080, framework: "go", git_repo: "https://git.example.test/other" } },
    });
    expect((await patch({ port: 65535 })).json["app"]).toMatchObject({ port: 65535, framework: "go" });
    expect((await world.row())!.updated_at.getTime()).toBeGreaterThan(before!.updated_at.getTime());
    expect((await world.row())!.status).toBe(before!.status);
    expect(reply.json["app"]).toMatchObject({ url: `https://${world.name}.apps.localhost:8443` });
  });

  test("leaves the container as it runs, and so do variables", async () => {
    promise("states", "changed settings and variables wait for the next deploy");
    await world.live();
    expect((await patch({ port: 8080 })).status).toBe(200);
    expect((await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { KEY: "value" } })).status).toBe(200);
    expect((await world.ada.call("DELETE", `/api/apps/${world.name}/env/KEY`)).status).toBe(204);
    expect(world.agent.calls).toEqual([]);
    expect((await world.row())!.status).toBe("running");
  });

  test.each([
    [{}],
    [{ port: 0 }],
    [{ port: 65536 }],
    [{ port: 1.5 }],
    [{ framework: "cobol" }],
    [{ repo_url: "http://git.example.test/x" }],
    [{ repo_url: "https://user:pw@git.example.test/x" }],
    [{ name: "other" }],
    ["[]"],
  ])("is refused as a whole: %j", async (body) => {
    promise(
      "apps",
      "a change names at least one field, and any of them alone",
      "a change that is empty, or has a wrong address or port, is refused with 400",
    );
    const before = await world.row();
    expect(await patch(body)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(await world.row()).toEqual(before);
  });

  test("of another owner's app is not found", async () => {
    promise("apps", "a change of an app that the caller does not have is answered with 404");
    const bob = await world.http.addCaller();
    expect((await bob.call("PATCH", `/api/apps/${world.name}`, { port: 1 })).status).toBe(404);
    expect((await remove("", bob)).status).toBe(404);
    expect(await world.row()).toBeDefined();
  });
});

describe("a soft stop", () => {
  test("takes the app off its server and keeps record, name, place in the list and in the limit", async () => {
    promise(
      "apps",
      "an app is deleted with 204",
      "an app that is deleted but not purged keeps its record and its name",
    );
    await world.live();
    expect((await remove()).status).toBe(204);
    expect(world.agent.calls).toEqual([`remove ${world.name}`]);
    expect(await world.row()).toMatchObject({ status: "soft_stopped", current_release_id: null });
    const { apps } = (await world.ada.call("GET", "/api/apps")).json as { apps: { name: string }[] };
    expect(apps.map((app) => app.name)).toContain(world.name);
    expect((await world.ada.call("POST", "/api/apps", { name: world.name, repo_url: REPO_URL })).json["error"]).toBe(
      "name_in_use_by_stopped_app",
    );
    expect((await remove()).status).toBe(204);
    expect(await removals()).toEqual([]);
  });

  test("of an app that was never deployed needs no agent", async () => {
    world.http.links.linked.delete(world.serverId);
    expect((await remove()).status).toBe(204);
    expect((await world.row())!.status).toBe("soft_stopped");
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await world.row()).toBeUndefined();
    expect(await removals()).toEqual([]);
  });

  test("is forgotten when the app is deployed before the agent is back", async () => {
    await world.live();
    world.http.links.linked.delete(world.serverId);
    expect((await remove()).status).toBe(204);
    expect(await removals()).toHaveLength(1);
    expect((await world.ada.call("POST", `/api/apps/${world.name}/deploy`, {})).status).toBe(202);
    expect(await removals()).toEqual([]);
    expect((await world.row())!.status).toBe("deploying");
  });

  test("is asked for again when the deploy that took it back is canceled: what serves on the host goes after all", async () => {
    await world.live();
    world.http.links.linked.delete(world.serverId);
    expect((await remove()).status).toBe(204);
    expect((await world.ada.call("POST", `/api/apps/${world.name}/deploy`, {})).status).toBe(202);
    expect(await removals()).toEqual([]);
    expect((await remove()).status).toBe(204);
    expect(await world.row()).toMatchObject({ status: "soft_stopped" });
    expect(await removals()).toMatchObject([{ app_name: world.name, server_id: world.serverId, purge: false }]);
    world.http.links.linked.add(world.serverId);
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await removals()).toEqual([]);
  });

  test("that runs keeps a deploy from starting under it", async () => {
    await world.live();
    let during: { status: number } | undefined;
    world.agent.whileRemoving = async () =>
      (during = await world.ada.call("POST", `/api/apps/${world.name}/deploy`, {}));
    expect((await remove()).status).toBe(204);
    expect(during).toMatchObject({ status: 409, json: { error: "deploy_in_progress" } });
  });
});

test.each(["", "?purge=1"])(
  "a removal (%s) right after a deploy waits for the lock that the deploy gives back",
  async (query) => {
    await world.live();
    world.agent.refusal = "deploy_in_progress";
    const removing = remove(query);
    await eventually(() => world.agent.refused >= 2, Boolean, { what: "the call is made again" });
    world.agent.refusal = undefined;
    expect(await removing).toMatchObject({ status: 204 });
    expect(world.agent.calls).toHaveLength(1);
    expect(await removals()).toEqual([]);
  },
);

describe("a purge", () => {
  test("frees the name; what belonged to the app is not found any more", async () => {
    promise("states", "purging an app removes its record and frees its name");
    const { deployId } = await world.live();
    await world.ada.call("PUT", `/api/apps/${world.name}/env`, { env: { KEY: "value" } });
    expect((await remove("?purge=1")).status).toBe(204);
    expect(world.agent.calls).toEqual([`remove ${world.name} purge`]);
    expect((await world.ada.call("GET", `/api/deploys/${deployId}`)).status).toBe(404);
    expect((await remove("?purge=1")).status).toBe(404);
    expect((await world.ada.call("POST", "/api/apps", { name: world.name, repo_url: REPO_URL })).status).toBe(201);
    expect((await world.ada.call("GET", `/api/apps/${world.name}/env`)).json).toEqual({ env: {} });
    expect(await removals()).toEqual([]);
  });

  test("that the agent refuses keeps record and data, and can be asked for again", async () => {
    await world.live();
    world.agent.refusal = "database_dump_failed";
    expect(await remove("?purge=1")).toMatchObject({ status: 503, json: { error: "database_dump_failed" } });
    expect((await world.row())!.status).toBe("soft_stopped");
    expect(await removals()).toMatchObject([{ purge: false }]);
    world.agent.refusal = undefined;
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await world.row()).toBeUndefined();
    expect(await removals()).toEqual([]);
  });

  describe("that is asked for twice at once", () => {
    /** The second arrives while the agent is at the first one's. */
    async function twice() {
      const second = new Promise<Reply>((resolve) => {
        world.agent.whileRemoving = async () => {
          world.agent.whileRemoving = () => Promise.resolve();
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
      return (await world.http.database.query(query, [world.name])).rows[0]!["count"] as number;
    }

    test("is done once", async () => {
      await world.live();
      expect((await twice()).map(({ status }) => status)).toEqual([204, 204]);
      expect(world.agent.calls).toEqual([`remove ${world.name} purge`]);
      expect(await world.row()).toBeUndefined();
      expect(await removals()).toEqual([]);
    });

    test("and is refused, keeps the record and tells both", async () => {
      await world.live();
      world.agent.refusal = "database_dump_failed";
      const refused = { status: 503, json: { error: "database_dump_failed" } };
      expect(await twice()).toMatchObject([refused, refused]);
      expect((await world.row())!.status).toBe("soft_stopped");
      expect(await removals()).toMatchObject([{ purge: false }]);
      world.agent.refusal = undefined;
      expect((await remove("?purge=1")).status).toBe(204);
    });
  });

  test.each(["?purge=2", "?purge=", "?purge=true", "?force=1"])("is not asked for with %s", async (query) => {
    expect(await remove(query)).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    expect(await world.row()).toBeDefined();
  });

  test("while the agent is away frees the name at once and reaches the host when it is back", async () => {
    await world.live();
    world.http.links.linked.delete(world.serverId);
    expect((await remove("?purge=1")).status).toBe(204);
    expect(await world.row()).toBeUndefined();
    world.http.links.linked.add(world.serverId);
    const { db } = world.http.database;
    const sweeper = startRemovals({ db, links: world.http.links, clock: systemClock, log: silentLogger });
    try {
      await eventually(removals, (rows) => rows.length === 0, { what: "the removal is done" });
    } finally {
      await sweeper.stop();
    }
    expect(world.agent.calls).toEqual([`remove ${world.name} purge`]);
  });

  test("of an app whose deploy waits cancels the deploy first", async () => {
    world.http.links.linked.delete(world.serverId);
    expect((await world.ada.call("POST", `/api/apps/${world.name}/deploy`, {})).json).toEqual({ status: "queued" });
    expect((await remove()).status).toBe(204);
    const { rows } = await world.http.database.query(
      "select d.status from deploys d join apps a on a.id = d.app_id where a.name = $1",
      [world.name],
    );
    expect(rows).toEqual([{ status: "canceled" }]);
    expect((await world.row())!.status).toBe("soft_stopped");
  });
});
