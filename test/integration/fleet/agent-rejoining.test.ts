import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { callEnrolment } from "@svc/agent/link/enrolment-client.ts";
import { loadIdentity } from "@svc/agent/link/identity.ts";
import { createSigningRequest } from "@svc/agent/link/signing-request.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { findServer } from "@svc/control-plane/fleet/servers.store.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { createRejoinToken } from "@svc/control-plane/fleet/joining/create-rejoin-token.ts";
import type { Links } from "@svc/control-plane/fleet/links/links.ts";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { startAgentInProcess } from "../../support/agent/agent-in-process.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { codeOf, startFleetWorld, type FleetWorld } from "../../support/agent/fleet-world.ts";
import { startMember } from "../../support/agent/fleet-member.ts";

/** The real control plane's fleet and real agents, which know of one another by the wire alone. */
let world: FleetWorld;
let db: Db;
let authority: Authority;
let links: Links;

beforeAll(async () => {
  world = await startFleetWorld({ heartbeatMs: 60_000 });
  ({ authority, links } = world);
  ({ db } = world.database);
});
afterEach(() => world.tidy());
afterAll(() => world?.stop());

const tokenFor = ({ name }: { name: string }) => createRejoinToken(db, authority.fingerprint, name);

describe("a host that has lost its identity", () => {
  test("becomes the same server again with a token for it, and the former identity is refused", async () => {
    const former = await startMember(world, links.address);
    await world.linkOf(former);
    const identity = (await loadIdentity(former.dataDirectory))!;
    const token = await tokenFor(former);

    const again = await startMember(world, links.address, { token });
    expect([again.serverId, again.name]).toEqual([former.serverId, former.name]);
    // It runs on, and dials again and again.
    const stranger = world.newAgent();
    await stranger.dialOut(links.address, identity, identity.authorityPem, identity.keyPem);
    await eventually(
      () => stranger.isConnected,
      (connected) => !connected,
      { what: "the former identity is refused" },
    );
    const csrPem = await createSigningRequest(identity.keyPem);
    const renewal = callEnrolment(links.address, { authorityPem: identity.authorityPem, identity }, (client, call) =>
      client.renew({ csrPem, agentVersion: "test" }, call),
    );
    await expect(renewal).rejects.toMatchObject({ code: "server_removed" });

    expect(await (await world.linkOf(again)).getStatus({})).toBeDefined();
    // The link was the new host's, although the former one dials on.
    await again.agent.stop();
    await world.linkGone(again);
    expect((await findServer(db, former.name))?.state).toBe("active");
  });

  test("ends the link of the former identity, also where it is the only one", async () => {
    const former = await startMember(world, links.address);
    await world.linkOf(former);
    const other = await world.startFurtherLinks();
    await startMember(world, other.address, { token: await tokenFor(former) });
    await world.linkGone(former, links, 3_000);
    expect(await (await world.linkOf(former, other)).getStatus({})).toBeDefined();
  });

  test("uses the token once, within 15 minutes; the database has its hash alone, and who did what is on record", async () => {
    const former = await startMember(world, links.address);
    const earlier = await tokenFor(former);
    const token = await tokenFor(former);
    const life = token.expiresAt.getTime() - Date.now();
    expect(life).toBeGreaterThan(14 * 60_000);
    expect(life).toBeLessThanOrEqual(15 * 60_000 + 1_000);
    const stored = await db.selectFrom("join_tokens").selectAll().where("server_id", "=", former.serverId).execute();
    expect(JSON.stringify(stored)).not.toContain(token.token.slice(8, 40));

    expect(await codeOf(startMember(world, links.address, { token: earlier }))).toBe("join_token_invalid");
    await startMember(world, links.address, { token });
    expect(await codeOf(startMember(world, links.address, { token }))).toBe("join_token_invalid");
    const audit = await db
      .selectFrom("audit_log")
      .select(["actor", "action"])
      .where("target", "=", `server:${former.serverId}`)
      .orderBy("id")
      .execute();
    expect(audit).toEqual([
      { actor: "operator", action: "server.token" },
      { actor: `server:${former.serverId}`, action: "server.join" },
      { actor: "operator", action: "server.rejoin_token" },
      { actor: "operator", action: "server.rejoin_token" },
      { actor: `server:${former.serverId}`, action: "server.rejoin" },
    ]);
  });

  test("is told what to do instead where the server is unknown or has never joined", async () => {
    await expect(tokenFor({ name: "nobody" })).rejects.toMatchObject({ code: "not_found" });
    await createJoinToken(db, authority.fingerprint, byCommand, "new-one");
    await expect(tokenFor({ name: "new-one" })).rejects.toThrow(/server token --name new-one/);
  });
});

describe("a host that was away for longer than its certificate", () => {
  /** Its certificate has expired, and it has what it had. */
  async function expired() {
    const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 3_000 });
    const shortLived = await world.startFurtherLinks({}, brief);
    const member = await startMember(world, shortLived.address);
    await member.agent.stop();
    const identity = (await loadIdentity(member.dataDirectory))!;
    await eventually(
      () => Date.now(),
      (now) => now > identity.notAfter.getTime(),
      { what: "the certificate has expired" },
    );
    return { ...member, identity };
  }

  test("is the same server again with a token for it, and keeps its key", async () => {
    const { name, serverId, dataDirectory, identity } = await expired();
    const again = await startMember(world, links.address, { token: await tokenFor({ name }), dataDirectory });
    expect(again.serverId).toBe(serverId);
    await world.linkOf(again);
    const renewed = (await loadIdentity(dataDirectory))!;
    expect(renewed.keyPem).toBe(identity.keyPem);
    expect(renewed.notAfter.getTime()).toBeGreaterThan(Date.now());
  });

  test("looks after its apps without a token, and is not in the fleet", async () => {
    const { dataDirectory, serverId } = await expired();
    const alone = await startAgentInProcess(dataDirectory, { controlPlane: links.address });
    world.cleanups.push(() => alone.agent.stop());
    expect(alone.keepsAppsApart?.aborted).toBe(false);
    expect(links.agent(serverId)).toBeUndefined();
  });

  test("uses up no token of another server", async () => {
    const { dataDirectory, serverId } = await expired();
    const other = await startMember(world, links.address);
    const token = await tokenFor(other);
    const wrong = startMember(world, links.address, { token, dataDirectory });
    await expect(wrong).rejects.toThrow(`this host is ${serverId}`);
    expect(await readFile(join(dataDirectory, "identity", "server.json"), "utf8")).toContain(serverId);
    const right = await startMember(world, links.address, { token });
    expect(right.serverId).toBe(other.serverId);
  });
});
