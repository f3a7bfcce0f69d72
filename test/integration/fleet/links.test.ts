import { describe, expect } from "vitest";
import { findServer } from "@svc/control-plane/fleet/servers.store.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { removeServer } from "@svc/control-plane/lifecycle/remove-server.ts";
import type { AgentClient } from "@svc/control-plane/ports.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { agentRequestPem, SilentRelay, withEnrolment } from "../../support/agent/fleet.ts";
import { codeOf, versionAt } from "../../support/agent/fleet-world.ts";
import { fleetTest as test } from "../../support/agent/fleet-test.ts";
import { freePort } from "../../support/tools/free-ports.ts";

describe("a link", () => {
  test("lets the control plane call an agent that dialled in", async ({ world, links }) => {
    const identity = await world.joinNew();
    const changes: string[] = [];
    const unsubscribe = links.onChange((serverId) => changes.push(serverId));
    const agent = await world.linkedAgent(identity);
    expect(await versionAt(links.agent(identity.serverId))).toBe("test");
    expect(links.linkedServers()).toContain(identity.serverId);
    agent.kill();
    await world.linkGone(identity);
    expect(changes).toEqual([identity.serverId, identity.serverId]);
    unsubscribe();
  });

  test("is refused to whoever has no certificate of a server", async ({ world, authority, links }) => {
    const operator = await authority.issueOperatorCertificate("ada");
    const stranger = world.newAgent();
    await stranger.dialOut(links.address, undefined, authority.certificatePem);
    const person = world.newAgent();
    const { keyPem, certificatePem } = operator;
    await person.dialOut(
      links.address,
      { serverId: "", certificatePem, authorityPem: "" },
      authority.certificatePem,
      keyPem,
    );
    for (const agent of [stranger, person]) {
      await eventually(
        () => agent.isConnected,
        (connected) => !connected,
        { what: "the connection is refused" },
      );
    }
    expect(links.linkedServers()).toEqual([]);
  });

  test("passes to the newest connection, and what runs on the older one finishes", async ({
    world,
    authority,
    links,
  }) => {
    const identity = await world.joinNew();
    const older = await world.linkedAgent(identity);
    older.status = { agentVersion: "older" };
    const log = logOf(links.agent(identity.serverId)!);
    older.say("before");
    expect(await log.next()).toBe("before");

    const newer = world.newAgent();
    newer.status = { agentVersion: "newer" };
    await newer.dialOut(links.address, identity, authority.certificatePem);
    const version = () => versionAt(links.agent(identity.serverId));
    await eventually(version, (seen) => seen === "newer", { what: "calls go to the newer connection" });

    older.say("after");
    expect(await log.next()).toBe("after");
    expect(older.isConnected).toBe(true);
    older.finish();
    expect(await log.next()).toBeUndefined();
    await eventually(
      () => older.isConnected,
      (connected) => !connected,
      { what: "the older connection is closed" },
    );
    expect(await version()).toBe("newer");
  });

  test("does not wait for ever for what runs on a replaced connection", async ({ world, authority }) => {
    const impatient = await world.startFurtherLinks({ retireMs: 100 });
    const identity = await world.joinNew({ via: impatient });
    const older = await world.linkedAgent(identity, impatient);
    const log = logOf(impatient.agent(identity.serverId)!);
    older.say("first");
    await log.next();
    await world.newAgent().dialOut(impatient.address, identity, authority.certificatePem);
    expect(await codeOf(log.next())).toBe("agent_away");
  });

  test("is renewed without an interruption", async ({ world, authority, links }) => {
    const identity = await world.joinNew();
    const agent = await world.linkedAgent(identity);
    const log = logOf(links.agent(identity.serverId)!);
    agent.say("one");
    await log.next();
    const renewed = await withEnrolment(links.address, authority.certificatePem, identity, (client) =>
      client.renew({ csrPem: agentRequestPem, agentVersion: "renewed" }),
    );
    expect(renewed.certificatePem).not.toBe(identity.certificatePem);
    const next = world.newAgent();
    next.status = { agentVersion: "renewed" };
    await next.dialOut(links.address, { ...identity, ...renewed }, authority.certificatePem);
    await eventually(
      () => versionAt(links.agent(identity.serverId)),
      (seen) => seen === "renewed",
      { what: "renewed" },
    );
    agent.say("two");
    expect(await log.next()).toBe("two");
  });

  test("ends with its certificate", async ({ world }) => {
    const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 6_000 });
    const own = await world.startFurtherLinks({}, brief);
    const identity = await world.joinNew({ via: own });
    const agent = await world.linkedAgent(identity, own);
    await world.linkGone(identity, own, 15_000);
    expect(agent.isConnected).toBe(false);
    expect(await codeOf(world.renewal(identity, own))).toBe("unauthorized");
  });
});

describe("an agent that dies", () => {
  test("is noticed at once when its host says so, and its streams end with agent_away", async ({
    world,
    database,
    links,
  }) => {
    const identity = await world.joinNew();
    const agent = await world.linkedAgent(identity);
    const client = links.agent(identity.serverId)!;
    const log = logOf(client);
    agent.say("alive");
    await log.next();
    agent.kill();
    expect(await codeOf(log.next())).toBe("agent_away");
    expect(await codeOf(client.getStatus({}))).toBe("agent_away");
    await world.linkGone(identity);
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    await eventually(linked, (seen) => seen === false, { what: "the database says that it is away" });
  });

  test("is noticed by its silence", async ({ world, authority }) => {
    const watchful = await world.startFurtherLinks({ ping: { intervalMs: 100, timeoutMs: 1_000 } });
    const relay = new SilentRelay(watchful.address);
    const identity = await world.joinNew({ via: watchful });
    const agent = world.newAgent();
    await agent.dialOut(await relay.start(), identity, authority.certificatePem);
    const log = logOf(await world.linkOf(identity, watchful));
    agent.say("alive");
    await log.next();
    relay.fallSilent();
    expect(await codeOf(log.next())).toBe("agent_away");
    await world.linkGone(identity, watchful);
    relay.stop();
  });

  test("a call that its caller aborts fails with the caller's reason", async ({ world, links }) => {
    const identity = await world.joinNew();
    await world.linkedAgent(identity);
    const stopping = new AbortController();
    const log = logOf(links.agent(identity.serverId)!, stopping.signal);
    const line = log.next();
    stopping.abort();
    expect(await codeOf(line)).toBe("canceled");
  });
});

describe("an agent that listens", () => {
  const timing = { dial: { connectMs: 2_000, retryMsMin: 20, retryMsMax: 100 } };

  test("is dialled, and dialled again when it comes back", async ({ world, database }) => {
    const dialling = await world.startFurtherLinks(timing);
    const port = await freePort();
    const identity = await world.joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    const agent = world.newAgent();
    await agent.listen(port, identity);
    expect(await versionAt(await world.linkOf(identity, dialling))).toBe("test");
    agent.kill();
    await world.linkGone(identity, dialling);
    const again = world.newAgent();
    again.status = { agentVersion: "restarted" };
    await again.listen(port, identity);
    expect(await versionAt(await world.linkOf(identity, dialling))).toBe("restarted");

    again.kill();
    await world.linkGone(identity, dialling);
    await removeServer(database.db, identity.name, { force: false });
    const late = world.newAgent();
    await late.listen(port, identity);
    await eventually(
      () => late.dismissals,
      ({ length }) => length === 1,
      { what: "an agent that was away is told that its server was removed" },
    );
    await eventually(
      () => late.connections,
      (connections) => connections === 1,
      { what: "it is dialled no more" },
    );
  });

  test("is dialled anew before a certificate expires, and what runs goes on meanwhile", async ({ world }) => {
    const brief = await Authority.open(world.dataDirectory, { memberLifeMs: 12_000 });
    const dialling = await world.startFurtherLinks(timing, brief);
    const port = await freePort();
    const identity = await world.joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    const agent = world.newAgent();
    await agent.listen(port, identity);
    const log = logOf(await world.linkOf(identity, dialling));
    agent.say("before");
    await log.next();
    let changes = 0;
    const unsubscribe = dialling.onChange((serverId) => (changes += Number(serverId === identity.serverId)));
    const dialledAt = Date.now();
    await eventually(
      () => changes,
      (count) => count === 1,
      { what: "dialled anew", deadlineMs: 20_000 },
    );
    unsubscribe();
    expect(Date.now() - dialledAt).toBeGreaterThan(2_000);
    expect(await versionAt(dialling.agent(identity.serverId))).toBe("test");
    agent.say("after");
    expect(await log.next()).toBe("after");
  });

  test("is not mistaken for another server at its address", async ({ world, database }) => {
    const dialling = await world.startFurtherLinks(timing);
    const port = await freePort();
    const impostor = await world.joinNew();
    const agent = world.newAgent();
    await agent.listen(port, impostor);
    const identity = await world.joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    await eventually(
      () => agent.connections,
      (count) => count >= 2,
      { what: "it was dialled twice" },
    );
    expect(dialling.agent(identity.serverId)).toBeUndefined();
    await removeServer(database.db, identity.name, { force: false });
  });
});

/** The lines of the agent's log, one by one; undefined at its end. */
function logOf(client: AgentClient, signal?: AbortSignal): { next(): Promise<string | undefined> } {
  const messages = client.streamLogs({ lines: 1, follow: true }, signal ? { signal } : {})[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await messages.next();
      return done ? undefined : value.lines[0]?.text;
    },
  };
}
