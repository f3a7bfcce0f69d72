import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { startNotifications } from "@svc/control-plane/platform/database/notifications.ts";
import { fromAgentError } from "@svc/control-plane/fleet/agent-errors.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { Links, type LinksTiming } from "@svc/control-plane/fleet/links/links.ts";
import type { AgentClient } from "@svc/control-plane/ports.ts";
import { eventually } from "../tools/eventually.ts";
import { agentRequestPem, FakeAgent, joinFleet, withEnrolment, type AgentIdentity } from "./fleet.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";

/** The control plane's side of a fleet on a database of its own, and agents that join and link. */
export interface FleetWorld {
  /** Where the authority is kept. */
  dataDirectory: string;
  database: TestDatabase;
  authority: Authority;
  links: Links;
  /** As of another process of the control plane. */
  startFurtherLinks(timing?: Partial<LinksTiming>, signedBy?: Authority, port?: number): Promise<Links>;
  newAgent(): FakeAgent;
  joinNew(options?: { name?: string; listenAddress?: string; via?: Links }): Promise<AgentIdentity & { name: string }>;
  linkedAgent(identity: AgentIdentity, to?: Links): Promise<FakeAgent>;
  linkOf(server: { serverId: string }, on?: Links): Promise<AgentClient>;
  linkGone(server: { serverId: string }, on?: Links, deadlineMs?: number): Promise<unknown>;
  renewal(identity: AgentIdentity, on?: Links): Promise<unknown>;
  /** The work of `tidy`, the last first. */
  cleanups: (() => unknown)[];
  /** After each test. */
  tidy(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFleetWorld(usualTiming: Partial<LinksTiming> = {}): Promise<FleetWorld> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "svc-fleet-"));
  const [database, authority] = await Promise.all([createTestDatabase(), Authority.open(dataDirectory)]);
  const notifications = await startNotifications({
    url: database.url,
    processId: newId(),
    clock: systemClock,
    log: silentLogger,
  });
  const cleanups: FleetWorld["cleanups"] = [];

  async function startLinks(timing: Partial<LinksTiming>, signedBy: Authority, port: number): Promise<Links> {
    const started = new Links({
      db: database.db,
      authority: signedBy,
      listen: { host: "127.0.0.1", port },
      processId: newId(),
      notifications,
      log: silentLogger,
      timing: { ...usualTiming, ...timing },
    });
    await started.start();
    return started;
  }

  const links = await startLinks({}, authority, 0);

  function newAgent(): FakeAgent {
    const agent = new FakeAgent();
    cleanups.push(() => agent.kill());
    return agent;
  }

  function linkOf({ serverId }: { serverId: string }, on = links): Promise<AgentClient> {
    return eventually(
      () => on.agent(serverId),
      (client) => client !== undefined,
      { what: "the link is up" },
    ) as Promise<AgentClient>;
  }

  return {
    dataDirectory,
    database,
    authority,
    links,
    async startFurtherLinks(timing = {}, signedBy = authority, port = 0) {
      const started = await startLinks(timing, signedBy, port);
      cleanups.push(() => started.stop());
      return started;
    },
    newAgent,
    async joinNew({ name, listenAddress = "", via = links } = {}) {
      const { token, server } = await createJoinToken(database.db, authority.fingerprint, byCommand, name);
      const identity = await joinFleet({
        address: via.address,
        token,
        authorityPem: authority.certificatePem,
        listenAddress,
      });
      return { ...identity, name: server };
    },
    async linkedAgent(identity, to = links) {
      const agent = newAgent();
      await agent.dialOut(to.address, identity, authority.certificatePem);
      await linkOf(identity, to);
      return agent;
    },
    linkOf,
    linkGone: ({ serverId }, on = links, deadlineMs = 5_000) =>
      eventually(() => on.agent(serverId) === undefined, Boolean, {
        what: "the link is down",
        deadlineMs,
        isPromised: true,
      }),
    renewal: (identity, on = links) =>
      withEnrolment(on.address, authority.certificatePem, identity, (client) =>
        client.renew({ csrPem: agentRequestPem, agentVersion: "test" }),
      ),
    cleanups,
    async tidy() {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    },
    async stop() {
      await links.stop();
      await notifications.stop();
      await database.drop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

/** With which the call fails. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no error",
    (error: unknown) => fromAgentError(error).code,
  );
}

export async function versionAt(client: AgentClient | undefined): Promise<string | undefined> {
  return (await client?.getStatus({}))?.status?.agentVersion;
}
