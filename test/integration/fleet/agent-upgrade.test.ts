import { Readable } from "node:stream";
import { Code, ConnectError } from "@connectrpc/connect";
import { sql } from "kysely";
import { expect } from "vitest";
import { upgradeServers } from "@svc/control-plane/admin/upgrade-servers.ts";
import type { AgentBundle } from "@svc/control-plane/fleet/bundle/agent-bundle.ts";
import { findServer } from "@svc/control-plane/fleet/servers.store.ts";
import { startUpgrades } from "@svc/control-plane/fleet/upgrades/upgrades.ts";
import { startNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { fleetTest } from "../../support/agent/fleet-test.ts";
import type { AgentIdentity, FakeAgent } from "../../support/agent/fleet.ts";
import type { FleetWorld } from "../../support/agent/fleet-world.ts";
import { eventually } from "../../support/tools/eventually.ts";

/** A bundle of two messages. */
const BYTES = 600_000;
const bundle = {
  version: "0.1.0+111111111111",
  sha256: "1".repeat(64),
  bytes: BYTES,
  stream: () => Readable.from([Buffer.alloc(BYTES)]),
};
const openBundle = (): Promise<AgentBundle> => Promise.resolve(bundle);
const { version } = bundle;

const FORMER = "0.0.9+000000000000";
const READY = { engine: { reachable: true }, proxy: { reachable: true }, uptimeSeconds: 60n };

/** A fleet whose control plane upgrades agents. */
const test = fleetTest.extend("upgrades", { auto: true }, async ({ database, links }, { onCleanup }) => {
  const log = silentLogger;
  const notifications = await startNotifications({ url: database.url, processId: newId(), clock: systemClock, log });
  const upgrades = startUpgrades({ db: database.db, links, notifications, clock: systemClock, log, openBundle });
  onCleanup(async () => {
    await upgrades.stop();
    await notifications.stop();
  });
  return upgrades;
});

interface Host {
  identity: AgentIdentity;
  agent: FakeAgent;
}

/** A host whose agent was installed as a bundle. */
async function host(world: FleetWorld, name: string, agentVersion = FORMER): Promise<Host> {
  const identity = await world.joinNew({ name });
  return { identity, agent: await link(world, { name, identity }, { agentVersion, ...READY }) };
}

async function link(
  world: FleetWorld,
  { name, identity }: { name: string; identity: AgentIdentity },
  status: FakeAgent["status"],
): Promise<FakeAgent> {
  const agent = world.newAgent();
  agent.status = status;
  await agent.dialOut(world.links.address, identity, world.authority.certificatePem);
  await eventually(
    () => world.database.db.selectFrom("servers").select("status").where("name", "=", name).executeTakeFirst(),
    (row) => row?.status?.["agentVersion"] === status.agentVersion,
    { what: `${name} has told its version` },
  );
  return agent;
}

/** What the launcher does once the agent has taken a version: the agent ends, and one with that status is linked. */
async function startAnew(world: FleetWorld, name: string, before: Host, status: FakeAgent["status"]): Promise<void> {
  await eventually(
    () =>
      sql`select from agent_upgrades u join servers s on s.id = u.server_id
        where s.name = ${name} and u.taken_at is not null`.execute(world.database.db),
    ({ rows }) => rows.length === 1,
    { what: `${name} has taken the version`, deadlineMs: 60_000 },
  );
  before.agent.kill();
  await link(world, { name, identity: before.identity }, status);
}

function failureOf(upgrade: Promise<unknown>): Promise<string> {
  return upgrade.then(
    () => "none",
    (error: Error) => error.message,
  );
}

/** Lets the time that a new version has to prove itself pass. */
async function letPass(world: FleetWorld): Promise<void> {
  await sql`update agent_upgrades set taken_at = now() - interval '1 hour' where state = 'running'`.execute(
    world.database.db,
  );
}

test("hosts get the control plane's version one after the other, and those that have it, or run the sources, are left", async ({
  world,
}) => {
  const order: unknown[] = [];
  const hosts = new Map<string, Host>();
  for (const name of ["b", "a"]) {
    const each = await host(world, name);
    each.agent.takeUpgrade = (...taken) => void order.push([name, ...taken]);
    hosts.set(name, each);
  }
  await host(world, "c", version);
  await host(world, "d", "0.1.0");
  const told: string[] = [];
  const upgraded = upgradeServers(world.database.db, [], (line) => told.push(line), openBundle);
  for (const name of ["a", "b"]) await startAnew(world, name, hosts.get(name)!, { agentVersion: version, ...READY });
  expect(await upgraded).toEqual([
    { server: "a" },
    { server: "b" },
    { server: "c", left: `runs ${version} already` },
    { server: "d", left: expect.stringContaining("from the sources") },
  ]);
  expect(order).toEqual([
    ["a", version, BYTES],
    ["b", version, BYTES],
  ]);
  expect(told.slice(0, 3)).toEqual([
    `a: from ${FORMER} to ${version} …`,
    "a: ready",
    `b: from ${FORMER} to ${version} …`,
  ]);
  const audit = await world.database.db
    .selectFrom("audit_log")
    .select(sql<string>`detail->>'name'`.as("name"))
    .where("action", "=", "server.upgrade")
    .orderBy("id")
    .execute();
  expect(audit.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a host that refuses the version stops the upgrade of those after it, with its reason", async ({ world }) => {
  const refusing = await host(world, "refusing-1");
  refusing.agent.takeUpgrade = () => {
    throw new ConnectError("The disk is full.", Code.ResourceExhausted);
  };
  let begun = 0;
  (await host(world, "refusing-2")).agent.takeUpgrade = () => void (begun += 1);
  const upgrade = upgradeServers(world.database.db, ["refusing-1", "refusing-2"], () => undefined, openBundle);
  await expect(upgrade).rejects.toThrow(/refusing-1 is not ready, and no other was begun after 0 upgraded: .+/);
  expect(begun).toBe(0);
});

test("a host that is linked with the version before again is not ready", async ({ world }) => {
  const before = await host(world, "back");
  const failure = failureOf(upgradeServers(world.database.db, ["back"], () => undefined, openBundle));
  await startAnew(world, "back", before, { agentVersion: FORMER, ...READY });
  await letPass(world);
  expect(await failure).toContain(`was not linked, or did not stay, and the agent runs ${FORMER} again`);
});

test("a host whose new agent does not reach its engine is not ready", async ({ world }) => {
  const before = await host(world, "engineless");
  const failure = failureOf(upgradeServers(world.database.db, ["engineless"], () => undefined, openBundle));
  await startAnew(world, "engineless", before, {
    agentVersion: version,
    proxy: { reachable: true },
    uptimeSeconds: 60n,
  });
  await letPass(world);
  expect(await failure).toContain(`runs ${version}, and does not reach its engine`);
});

test("a host whose agent is away is not begun", async ({ world }) => {
  (await host(world, "away")).agent.kill();
  await eventually(
    () => findServer(world.database.db, "away"),
    (found) => found?.linked === false,
    { what: "the link is seen to be gone" },
  );
  const upgrade = upgradeServers(world.database.db, ["away"], () => undefined, openBundle);
  await expect(upgrade).rejects.toThrow("is not linked now");
  const { rows } = await sql`select from agent_upgrades where state = 'running'`.execute(world.database.db);
  expect(rows).toEqual([]);
});

test("a control plane that runs another build than the command's says so", async ({ world }) => {
  const before = await host(world, "other-build");
  const newer = (): Promise<AgentBundle> => Promise.resolve({ ...bundle, version: "0.1.0+222222222222" });
  const failure = failureOf(upgradeServers(world.database.db, ["other-build"], () => undefined, newer));
  await startAnew(world, "other-build", before, { agentVersion: version, ...READY });
  expect(await failure).toContain("the control plane was not restarted since it was built");
});
