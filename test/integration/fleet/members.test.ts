import { describe, expect } from "vitest";
import { newId } from "@svc/shared/rules/ids.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { findServer } from "@svc/control-plane/fleet/servers.store.ts";
import { fromAgentError } from "@svc/control-plane/fleet/agent-errors.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { drainServer } from "@svc/control-plane/fleet/drain-server.ts";
import { removeServer } from "@svc/control-plane/lifecycle/remove-server.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { joinFleet } from "../../support/agent/fleet.ts";
import { codeOf, versionAt } from "../../support/agent/fleet-world.ts";
import { fleetTest as test } from "../../support/agent/fleet-test.ts";

describe("joining", () => {
  test("a token makes one agent a member, once", async ({ database, authority, links }) => {
    const { token, server } = await createJoinToken(database.db, authority.fingerprint, byCommand, "once");
    expect((await findServer(database.db, server))?.state).toBe("joining");
    const options = { address: links.address, token, authorityPem: authority.certificatePem };
    const codes = await Promise.all([1, 2, 3].map(() => codeOf(joinFleet(options))));
    expect(codes.toSorted()).toEqual(["join_token_invalid", "join_token_invalid", "no error"]);
    expect(await codeOf(joinFleet(options))).toBe("join_token_invalid");
    expect(await findServer(database.db, "once")).toMatchObject({ state: "active", agent_version: "test" });
    const audit = await database.db
      .selectFrom("audit_log")
      .select("action")
      .where("actor", "like", "server:%")
      .execute();
    expect(audit).toContainEqual({ action: "server.join" });
  });

  test("an unknown, malformed or expired token is refused with what to do", async ({ database, authority, links }) => {
    const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand, "expired");
    await database.db
      .updateTable("join_tokens")
      .set({ expires_at: new Date(0) })
      .where("used_at", "is", null)
      .execute();
    const unknown = `svcjoin_${"x".repeat(43)}.${authority.fingerprint}`;
    for (const bad of [token, unknown, "", "svcjoin_"]) {
      const joining = joinFleet({ address: links.address, token: bad, authorityPem: authority.certificatePem });
      const error = fromAgentError(await joining.catch((reason: unknown) => reason));
      expect(error).toMatchObject({ code: "join_token_invalid" });
      expect(error.message).toContain("server token");
    }
  });

  test("a failure gives the token back", async ({ database, authority, links }) => {
    const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand, "second-chance");
    const options = { address: links.address, token, authorityPem: authority.certificatePem };
    expect(await codeOf(joinFleet({ ...options, csrPem: "nonsense" }))).toBe("invalid_request");
    expect(await codeOf(joinFleet({ ...options, listenAddress: "nowhere" }))).toBe("invalid_request");
    expect(await codeOf(joinFleet(options))).toBe("no error");
  });

  test("a fresh token for the same name ends the earlier one", async ({ database, authority, links }) => {
    const first = await createJoinToken(database.db, authority.fingerprint, byCommand, "again");
    const second = await createJoinToken(database.db, authority.fingerprint, byCommand, "again");
    const options = { address: links.address, authorityPem: authority.certificatePem };
    expect(await codeOf(joinFleet({ ...options, token: first.token }))).toBe("join_token_invalid");
    expect(await codeOf(joinFleet({ ...options, token: second.token }))).toBe("no error");
  });

  test("a name that is a member's, or cannot be a name, gets no token", async ({ world, database, authority }) => {
    const { name } = await world.joinNew();
    const { db } = database;
    await expect(createJoinToken(db, authority.fingerprint, byCommand, name)).rejects.toMatchObject({
      code: "name_taken",
    });
    for (const bad of ["Upper", "-a", "a.b", "", "x".repeat(64)]) {
      await expect(createJoinToken(db, authority.fingerprint, byCommand, bad)).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
  });
});

describe("a removed server", () => {
  test("loses its link within seconds, and is refused from then on", async ({ world, database, authority, links }) => {
    const identity = await world.joinNew();
    const agent = await world.linkedAgent(identity);
    await removeServer(database.db, identity.name, { force: false });
    await world.linkGone(identity, links, 3_000);
    await eventually(
      () => agent.isConnected,
      (connected) => !connected,
      { what: "the agent is disconnected" },
    );

    const again = world.newAgent();
    await again.dialOut(links.address, identity, authority.certificatePem);
    await eventually(
      () => again.isConnected,
      (connected) => !connected,
      { what: "the agent is refused" },
    );
    expect(links.agent(identity.serverId)).toBeUndefined();
    const reason = "This server was removed from the fleet.";
    expect([agent.dismissals, again.dismissals]).toEqual([[reason], [reason]]);
    expect(await codeOf(world.renewal(identity))).toBe("server_removed");
    expect((await world.joinNew({ name: identity.name })).serverId).not.toBe(identity.serverId);
  });

  test("tells only a host that was it, and not one that another has taken the place of", async ({
    world,
    database,
    authority,
    links,
  }) => {
    const identity = await world.joinNew();
    await database.db
      .updateTable("servers")
      .set({ host_key: Buffer.from("another") })
      .where("id", "=", identity.serverId)
      .execute();
    await removeServer(database.db, identity.name, { force: false });
    const agent = world.newAgent();
    await agent.dialOut(links.address, identity, authority.certificatePem);
    await eventually(
      () => agent.isConnected,
      (connected) => !connected,
      { what: "the agent is refused" },
    );
    expect(agent.dismissals).toEqual([]);
  });

  test("keeps its place while apps live on it, unless it is forced", async ({ world, database }) => {
    const { db } = database;
    const identity = await world.joinNew();
    const [userId, appId] = [newId(), newId()];
    await db
      .insertInto("users")
      .values({ id: userId, email: "o@example.test", tier: "free", email_verified_at: null })
      .execute();
    const app = { id: appId, owner_id: userId, name: "shop", status: "running" as const, server_id: identity.serverId };
    await db.insertInto("apps").values(app).execute();

    await drainServer(db, identity.name, byCommand);
    await expect(removeServer(db, identity.name, { force: false })).rejects.toThrow(/shop/);
    expect((await findServer(db, identity.name))?.state).toBe("draining");
    await world.linkedAgent(identity);

    expect((await removeServer(db, identity.name, { force: true })).apps).toEqual(["shop"]);
    const left = await db.selectFrom("apps").select(["server_id", "status"]).where("id", "=", appId).executeTakeFirst();
    expect(left).toEqual({ server_id: null, status: "failed" });
  });
});

test("an agent's newest status can be read from the database", async ({ world, database }) => {
  const identity = await world.joinNew();
  const agent = await world.linkedAgent(identity);
  const stored = async () => (await findServer(database.db, identity.name))?.status;
  await eventually(stored, (status) => status?.["agentVersion"] === "test", { what: "the first status is stored" });
  const app = { app: { id: newId(), name: "shop" }, state: "running", containerId: "c1" };
  agent.changeStatus({ agentVersion: "test", apps: [app] });
  const changed = await eventually(stored, (status) => JSON.stringify(status?.["apps"] ?? "").includes("shop"), {
    what: "a change of the apps is stored at once",
    deadlineMs: 2_000,
  });
  expect(changed).toMatchObject({ apps: [{ containerId: "c1", state: "running" }] });
});

test("fifty agents join and link at once", async ({ world, links }) => {
  const identities = await Promise.all(Array.from({ length: 50 }, () => world.joinNew()));
  await Promise.all(identities.map((identity) => world.linkedAgent(identity)));
  const versions = await Promise.all(identities.map(({ serverId }) => versionAt(links.agent(serverId))));
  expect(new Set(versions)).toEqual(new Set(["test"]));
  expect(new Set(identities.map(({ name }) => name)).size).toBe(50);
});
