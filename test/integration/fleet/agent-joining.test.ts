import { stat } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import type { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import type { Links } from "@svc/control-plane/fleet/links/links.ts";
import { newDataDirectory, startAgentInProcess, type AgentInProcess } from "../../support/agent/agent-in-process.ts";
import { startMember } from "../../support/agent/fleet-member.ts";
import { startFleetWorld, type FleetWorld } from "../../support/agent/fleet-world.ts";
import type { TestDatabase } from "../../support/database/postgres.ts";

/** The real control plane's fleet and the real agent, which learn of one another by the wire alone. */
let world: FleetWorld;
let database: TestDatabase;
let authority: Authority;
let links: Links;

beforeAll(async () => {
  world = await startFleetWorld({ heartbeatMs: 200 });
  ({ database, authority, links } = world);
});
afterEach(() => world.tidy());
afterAll(() => world?.stop());

describe("joining", () => {
  test("a token makes the agent a member that is called over its own connection", async () => {
    const agent = await startMember(world, links.address);
    const { status } = await (await world.linkOf(agent)).getStatus({});
    expect(status?.engine?.reachable).toBe(true);
    const key = await stat(join(agent.dataDirectory, "identity", "key.pem"));
    expect((key.mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(agent.dataDirectory)).mode & 0o777).toString(8)).toBe("700");
  });

  test("is needed once: the identity on disk is enough to come back", async () => {
    const agent = await startMember(world, links.address);
    await world.linkOf(agent);
    await agent.agent.stop();
    const again = await startAgentInProcess(agent.dataDirectory, { controlPlane: links.address });
    world.cleanups.push(() => again.agent.stop());
    expect((await (await world.linkOf(agent)).getStatus({})).status).toBeDefined();
  });

  test("the agent keeps apps apart from its start on, before anything is deployed, until it is stopped", async () => {
    const agent = await startMember(world, links.address);
    expect(agent.keepsAppsApart?.aborted).toBe(false);
    await agent.stop();
    expect(agent.keepsAppsApart?.aborted).toBe(true);
  });

  test("that apps can't be kept apart is in the server's status, before anything is deployed", async () => {
    const agent = await startMember(world, links.address);
    agent.failToKeepAppsApart(new SvcError("isolation_unavailable", "The rules could not be set."));
    const { status } = await (await world.linkOf(agent)).getStatus({});
    expect(status?.lastErrors).toMatchObject([
      { code: "isolation_unavailable", message: "The rules could not be set." },
    ]);
  });

  test("a token of another fleet is not shown to this one", async () => {
    const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand);
    const foreign = `${token.split(".")[0]}.${"0".repeat(64)}`;
    const start = async (joinToken: string): Promise<AgentInProcess> =>
      startAgentInProcess(await newDataDirectory(), { controlPlane: links.address, joinToken });
    await expect(start(foreign)).rejects.toThrow(/is not the control plane that made the join token/);
    // Had it been sent, it would be used up.
    const joined = await start(token);
    world.cleanups.push(() => joined.stop());
    await expect(start(token)).rejects.toThrow(/The join token is unknown, was used or is older/);
  });

  test("without a token, or with half of one, the start says what to do", async () => {
    const start = async (joinToken: string | undefined): Promise<AgentInProcess> =>
      startAgentInProcess(await newDataDirectory(), { controlPlane: links.address, joinToken });
    await expect(start(undefined)).rejects.toThrow(/npm run admin -- server token/);
    await expect(start("svcjoin_half")).rejects.toThrow(/copy it whole/);
  });
});
