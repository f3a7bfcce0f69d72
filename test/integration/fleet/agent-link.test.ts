import { mkdir, readFile, rm, rmdir } from "node:fs/promises";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadIdentity } from "@svc/agent/link/identity.ts";
import { Link } from "@svc/agent/link/link.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import type { Links } from "@svc/control-plane/fleet/links/links.ts";
import { removeServer } from "@svc/control-plane/lifecycle/remove-server.ts";
import type { AgentClient } from "@svc/control-plane/ports.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { AgentService, Step } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { databaseContainer } from "@svc/agent/database/container.ts";
import { startAgentInProcess, stepDone } from "../../support/agent/agent-in-process.ts";
import { newApp, nodeContainer } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { SilentRelay } from "../../support/agent/fleet.ts";
import { startMember } from "../../support/agent/fleet-member.ts";
import { startFleetWorld, type FleetWorld } from "../../support/agent/fleet-world.ts";
import { freePort } from "../../support/tools/free-ports.ts";
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

const app = { id: newId(), name: "shop" };

async function takeLock(client: AgentClient): Promise<{ deployId: string; attempt: number }> {
  const lock = { deployId: newId(), attempt: 1 };
  await client.takeLock({ lock, leaseSeconds: 60 });
  return lock;
}

function runStep(client: AgentClient, lock: { deployId: string; attempt: number }, afterEvent = 0n) {
  const value = { hosts: ["shop.test"], port: 80 };
  const request = { lock, step: Step.PROXY_ROUTE, run: 1, afterEvent, app };
  return client.runStep({ ...request, spec: { case: "proxyRoute", value } });
}

describe("the link", () => {
  test("comes back by itself when the control plane has restarted, and the step that ran meanwhile is resumed", async () => {
    const first = await world.startFurtherLinks();
    const agent = await startMember(world, first.address);
    const goOn = Promise.withResolvers<void>();
    agent.script.run = async ({ output }) => {
      output.log("before");
      await goOn.promise;
      output.log("after");
      return stepDone;
    };
    const client = await world.linkOf(agent, first);
    const lock = await takeLock(client);
    const seen: string[] = [];
    let last = 0n;
    for await (const { events } of runStep(client, lock)) {
      for (const { number, body } of events) {
        last = number;
        if (body.case === "logLines") seen.push(...body.value.lines);
      }
      break;
    }
    const { port } = first.address;
    await first.stop();
    goOn.resolve();

    const second = await world.startFurtherLinks({}, authority, port);
    const outcomes: unknown[] = [];
    for await (const { events } of runStep(await world.linkOf(agent, second), lock, last)) {
      for (const { body } of events) {
        if (body.case === "logLines") seen.push(...body.value.lines);
        if (body.case === "result") outcomes.push(body.value.outcome.case);
      }
    }
    expect(seen).toEqual(["before", "after"]);
    expect(outcomes).toEqual(["success"]);
  });

  test("renews its certificate again and again without dropping a stream", async () => {
    const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 6000 });
    const briefLinks = await world.startFurtherLinks({}, brief);
    const agent = await startMember(world, briefLinks.address, { signedBy: brief });
    const finish = Promise.withResolvers<void>();
    agent.script.run = async () => {
      await finish.promise;
      return stepDone;
    };
    const client = await world.linkOf(agent, briefLinks);
    const lock = await takeLock(client);
    const certificate = (): Promise<string> =>
      readFile(join(agent.dataDirectory, "identity", "certificate.pem"), "utf8");
    const certificates = new Set([await certificate()]);
    const outcomes: (string | undefined)[] = [];
    const streaming = (async () => {
      for await (const { events } of runStep(client, lock)) {
        for (const { body } of events) if (body.case === "result") outcomes.push(body.value.outcome.case);
      }
    })();
    await eventually(
      async () => certificates.add(await certificate()).size,
      (size) => size >= 2,
      { what: "the certificate is renewed", deadlineMs: 20_000 },
    );
    finish.resolve();
    await streaming;
    expect(outcomes).toEqual(["success"]);
    await eventually(
      async () => certificates.add(await certificate()).size,
      (size) => size >= 4,
      { what: "the certificate is renewed again", deadlineMs: 30_000 },
    );
    // By now the first certificate has expired.
    const current = await world.linkOf(agent, briefLinks);
    expect((await current.getStatus({})).status).toBeDefined();
  });

  test("uses a renewed certificate that could not be saved yet, and saves it once it can", async () => {
    const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 5000 });
    const briefLinks = await world.startFurtherLinks({}, brief);
    const agent = await startMember(world, briefLinks.address, { signedBy: brief });
    await world.linkOf(agent, briefLinks);
    const file = join(agent.dataDirectory, "identity", "certificate.pem");
    // No file can take a folder's place; a renewal may come between the two.
    const block = async (): Promise<boolean> => {
      await rm(file);
      return mkdir(file).then(
        () => true,
        () => false,
      );
    };
    await eventually(block, Boolean, { what: "the certificate can't be saved" });
    let began = 0;
    const unsubscribe = briefLinks.onChange((serverId) => (began += Number(serverId === agent.serverId)));
    await eventually(
      () => began,
      (count) => count > 0,
      { what: "a link begins with the certificate that is not saved" },
    );
    unsubscribe();
    expect((await (await world.linkOf(agent, briefLinks)).getStatus({})).status).toBeDefined();
    await rmdir(file);
    await eventually(
      () => readFile(file, "utf8").catch(() => undefined),
      (text) => text?.startsWith("-----BEGIN CERTIFICATE-----") === true,
      { what: "the certificate is saved" },
    );
  });

  test("takes calls on its former connection until the control plane has accepted the new one", async () => {
    const { serverId, dataDirectory, agent } = await startMember(world, links.address);
    await world.linkOf({ serverId });
    const identity = (await loadIdentity(dataDirectory))!;
    await agent.stop();
    await eventually(
      () => links.agent(serverId),
      (client) => client === undefined,
      { what: "the end of the agent's link is noticed" },
    );

    const attached: TLSSocket[] = [];
    const attach = (socket: TLSSocket): ServerHttp2Session => {
      attached.push(socket);
      return attachTo(connectNodeAdapter({ routes: statusOnly }), socket);
    };
    const link = new Link({
      controlPlane: links.address,
      identity,
      attach,
      log: silentLogger,
      onChange: () => undefined,
    });
    world.cleanups.push(() => link.stop());
    link.start();
    const version = async (): Promise<string | undefined> =>
      (await (await world.linkOf({ serverId })).getStatus({})).status?.agentVersion;
    expect(await version()).toBe("test");

    await database.db.transaction().execute(async (transaction) => {
      // The control plane asks whether the server is a member, and waits for the answer.
      await sql`lock table servers in access exclusive mode`.execute(transaction);
      link.useIdentity({ ...identity });
      await eventually(
        () => attached.length,
        (connections) => connections === 2,
        { what: "the agent has dialled again" },
      );
      for (let calls = 0; calls < 200; calls += 1) expect(await version()).toBe("test");
      expect(attached[0]!.destroyed).toBe(false);
    });
    await eventually(
      () => attached[0]!.destroyed,
      (closed) => closed,
      { what: "the former connection is closed once the new one is accepted" },
    );
    expect(await version()).toBe("test");
  });

  test("that ends, because the server was removed, ends the agent and all that it runs, for good", async () => {
    const member = await startMember(world, links.address);
    await world.linkOf(member);
    for (const each of [nodeContainer(newApp(), ""), databaseContainer(newApp(), "16")]) await member.engine.run(each);
    await removeServer(database.db, member.name, { force: true });
    const reason = await member.agent.ended;
    expect(reason).toMatchObject({ code: "server_removed", message: expect.stringContaining("was removed") });
    await expect(fetch(`http://127.0.0.1:${member.http.port}/readyz`)).rejects.toThrow("fetch failed");
    expect((await member.engine.list({})).map(({ state }) => state)).toEqual(["exited", "exited"]);
    const again = startAgentInProcess(member.dataDirectory, { controlPlane: links.address });
    await expect(again).rejects.toMatchObject({ code: "server_removed" });
  });

  test("to a peer that has fallen silent is given up and dialled again", async () => {
    const { serverId, dataDirectory, agent } = await startMember(world, links.address);
    await world.linkOf({ serverId });
    const identity = (await loadIdentity(dataDirectory))!;
    await agent.stop();

    const relay = new SilentRelay(links.address);
    const changes: boolean[] = [];
    const link = new Link({
      controlPlane: await relay.start(),
      identity,
      attach: attachToNothing,
      log: silentLogger,
      onChange: (up) => changes.push(up),
      ping: { intervalMs: 100, timeoutMs: 1_000 },
    });
    world.cleanups.push(async () => {
      await link.stop();
      relay.stop();
    });
    link.start();
    await eventually(
      () => changes,
      (seen) => seen.length === 1,
      { what: "the link is up" },
    );
    relay.fallSilent();
    const seen = await eventually(
      () => changes,
      ({ length }) => length === 3,
      { what: "the link is given up and up again" },
    );
    expect(seen).toEqual([true, false, true]);
  });

  test("waits to be dialled when an address is given for it", async () => {
    const agent = await startMember(world, links.address, { listen: { host: "127.0.0.1", port: await freePort() } });
    const { status } = await (await world.linkOf(agent)).getStatus({});
    expect(status?.engine?.reachable).toBe(true);
  });
});

/** An HTTP/2 server that answers no call. */
function attachToNothing(socket: TLSSocket): ServerHttp2Session {
  return attachTo(() => undefined, socket);
}

function statusOnly(router: ConnectRouter): void {
  router.service(AgentService, { getStatus: () => ({ status: { agentVersion: "test" } }) });
}

function attachTo(handler: Parameters<typeof createHttp2Server>[1], socket: TLSSocket): ServerHttp2Session {
  const server = createHttp2Server(handler);
  const sessions: ServerHttp2Session[] = [];
  server.once("session", (session) => sessions.push(session));
  server.emit("connection", socket);
  return sessions[0]!;
}
