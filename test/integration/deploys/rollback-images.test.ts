import { removeServer } from "@svc/control-plane/lifecycle/remove-server.ts";
import { describe, expect } from "vitest";
import { Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { failed } from "../../support/api/deploying-api.ts";
import { deployingTest } from "../../support/api/deploying-test.ts";

describe("the images that are kept", () => {
  const it = deployingTest.extend("kept", ({ query, setup, app }) => async (): Promise<string[]> => {
    const rows = await query("select name from releases where app_id = $1 and image_kept order by created_at", [
      app.id,
    ]);
    const deploys = await query("select id from deploys where id = any($1::uuid[])", [setup.agent.keptDeployIds]);
    if (deploys.length !== rows.length) throw new Error(`The agent keeps the images of ${deploys.length} deploys.`);
    return rows.map(({ name }) => String(name));
  });

  it("are those of the last five that served, and what a rollback goes back to stays among them", async ({
    setup,
    app,
    kept,
  }) => {
    for (const image of ["1", "2", "3", "4", "5", "6"]) await app.deploy(image);
    expect(await kept()).toEqual(["v2", "v3", "v4", "v5", "v6"]);
    expect((await app.rollback({ release: "v2" })).status).toBe(200);
    await app.lockFreed();
    await app.deploy("7");
    expect(await kept()).toEqual(["v2", "v4", "v5", "v6", "v7"]);
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v2");
    await app.lockFreed();
    expect(setup.lastContainer().release).toBe("v2");
  });

  it("are the only ones that are gone back to, by name or by default", async ({ app }) => {
    for (const image of ["1", "2", "3", "4", "5", "6"]) await app.deploy(image);
    const gone = await app.rollback({ release: "v1" });
    expect([gone.status, gone.json["error"]]).toEqual([409, "release_image_gone"]);
    expect((await app.rollback({ release: "v2" })).status).toBe(200);
    await app.lockFreed();
    // v1 was live before v2, and its image is gone.
    const none = await app.rollback();
    expect([none.status, none.json["error"]]).toEqual([409, "no_previous_deploy"]);
  });

  it("hold what a rollback goes back to also when more have served since", async ({ app, kept }) => {
    for (const image of ["1", "2", "3", "4", "5", "6"]) await app.deploy(image);
    expect((await app.rollback({ release: "v3" })).status).toBe(200);
    await app.lockFreed();
    for (const release of ["v4", "v5", "v6", "v3"]) {
      expect((await app.rollback({ release })).status).toBe(200);
      await app.lockFreed();
      expect(await kept()).toContain("v2");
    }
    expect((await app.rollback()).status).toBe(200);
    expect((await app.view())["current_release"]).toBe("v2");
    await app.lockFreed();
  });

  it("do not count deploys that failed", async ({ setup, app, kept }) => {
    for (const image of ["1", "2"]) await app.deploy(image);
    setup.agent.script(Step.PROXY_ROUTE, failed("route_not_proven", "no"));
    for (const image of ["3", "4", "5", "6"]) await expect(app.deploy(image)).rejects.toThrow(/failed/);
    setup.agent.script(Step.PROXY_ROUTE, {});
    await app.lockFreed();
    expect((await app.rollback()).status).toBe(200);
    await app.lockFreed();
    expect(await kept()).toEqual(["v1", "v2"]);
  });

  it("stay behind on a server that is removed", async ({ http, query, setup, app }) => {
    for (const image of ["1", "2"]) await app.deploy(image);
    const [server] = await query("select name from servers where id = $1", [setup.serverId]);
    await removeServer(http.database.db, String(server!["name"]), { force: true });
    expect(await query("select name from releases where app_id = $1 and image_kept", [app.id])).toEqual([]);
  });
});
