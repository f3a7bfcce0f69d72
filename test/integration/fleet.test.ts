import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { connect } from "node:tls";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@svc/shared/clock.ts";
import { CONTROL_PLANE_NAME } from "@svc/shared/fleet-identity.ts";
import { newId } from "@svc/shared/ids.ts";
import { silentLogger } from "@svc/shared/logger.ts";
import { startNotifications, type RunningNotifications } from "@svc/control-plane/db/notifications.ts";
import { findServer, recordLink } from "@svc/control-plane/db/servers.ts";
import { fromAgentError } from "@svc/control-plane/fleet/agent-errors.ts";
import { Authority } from "@svc/control-plane/fleet/authority.ts";
import { createJoinToken } from "@svc/control-plane/fleet/create-join-token.ts";
import { drainServer } from "@svc/control-plane/fleet/drain-server.ts";
import { Links, type LinksTiming } from "@svc/control-plane/fleet/links.ts";
import { removeServer } from "@svc/control-plane/fleet/remove-server.ts";
import type { AgentClient } from "@svc/control-plane/ports.ts";
import { eventually } from "../support/eventually.ts";
import {
  FakeAgent,
  joinFleet,
  SilentRelay,
  withEnrolment,
  agentRequestPem,
  type AgentIdentity,
} from "../support/fleet.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { freePort } from "../support/free-ports.ts";

let dataDirectory: string;
let database: TestDatabase;
let notifications: RunningNotifications;
let authority: Authority;
let links: Links;
const agents: FakeAgent[] = [];
const furtherLinks: Links[] = [];

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "svc-fleet-"));
  [database, authority] = await Promise.all([createTestDatabase(), Authority.open(dataDirectory)]);
  notifications = await startNotifications({ url: database.url, clock: systemClock, log: silentLogger });
  links = await startLinks();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.kill();
  await Promise.all(furtherLinks.splice(0).map((one) => one.stop()));
});
afterAll(async () => {
  await links?.stop();
  await notifications?.stop();
  await database?.drop();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function startLinks(timing: Partial<LinksTiming> = {}, signedBy = authority): Promise<Links> {
  const started = new Links({
    db: database.db,
    authority: signedBy,
    listen: { host: "127.0.0.1", port: 0 },
    processId: newId(),
    notifications,
    log: silentLogger,
    timing,
  });
  await started.start();
  return started;
}

async function startFurtherLinks(timing: Partial<LinksTiming> = {}, signedBy = authority): Promise<Links> {
  const started = await startLinks(timing, signedBy);
  furtherLinks.push(started);
  return started;
}

function newAgent(): FakeAgent {
  const agent = new FakeAgent();
  agents.push(agent);
  return agent;
}

async function joinNew(
  options: { name?: string; listenAddress?: string; via?: Links } = {},
): Promise<AgentIdentity & { name: string }> {
  const { token, server } = await createJoinToken(database.db, authority.fingerprint, options.name);
  const { listenAddress = "", via = links } = options;
  const identity = await joinFleet({
    address: via.address,
    token,
    authorityPem: authority.certificatePem,
    listenAddress,
  });
  return { ...identity, name: server };
}

async function linkedAgent(identity: AgentIdentity, to = links): Promise<FakeAgent> {
  const agent = newAgent();
  await agent.dialOut(to.address, identity, authority.certificatePem);
  await linkOf(identity, to);
  return agent;
}

function linkOf({ serverId }: AgentIdentity, on = links): Promise<AgentClient> {
  return eventually(
    () => on.agent(serverId),
    (client) => client !== undefined,
    { what: "the link is up" },
  ) as Promise<AgentClient>;
}

function linkGone({ serverId }: AgentIdentity, on = links, deadlineMs = 5_000): Promise<unknown> {
  return eventually(() => on.agent(serverId) === undefined, Boolean, { what: "the link is down", deadlineMs });
}

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "no error",
    (error: unknown) => fromAgentError(error).code,
  );
}

async function versionAt(client: AgentClient | undefined): Promise<string | undefined> {
  return (await client?.getStatus({}))?.status?.agentVersion;
}

describe("joining", () => {
  test("a token makes one agent a member, once", async () => {
    const { token, server } = await createJoinToken(database.db, authority.fingerprint, "once");
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

  test("an unknown, malformed or expired token is refused with what to do", async () => {
    const { token } = await createJoinToken(database.db, authority.fingerprint, "expired");
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

  test("a failure gives the token back", async () => {
    const { token } = await createJoinToken(database.db, authority.fingerprint, "second-chance");
    const options = { address: links.address, token, authorityPem: authority.certificatePem };
    expect(await codeOf(joinFleet({ ...options, csrPem: "nonsense" }))).toBe("invalid_request");
    expect(await codeOf(joinFleet({ ...options, listenAddress: "nowhere" }))).toBe("invalid_request");
    expect(await codeOf(joinFleet(options))).toBe("no error");
  });

  test("a fresh token for the same name ends the earlier one", async () => {
    const first = await createJoinToken(database.db, authority.fingerprint, "again");
    const second = await createJoinToken(database.db, authority.fingerprint, "again");
    const options = { address: links.address, authorityPem: authority.certificatePem };
    expect(await codeOf(joinFleet({ ...options, token: first.token }))).toBe("join_token_invalid");
    expect(await codeOf(joinFleet({ ...options, token: second.token }))).toBe("no error");
  });

  test("a name that is a member's, or cannot be a name, gets no token", async () => {
    const { name } = await joinNew();
    const { db } = database;
    await expect(createJoinToken(db, authority.fingerprint, name)).rejects.toMatchObject({ code: "name_taken" });
    for (const bad of ["Upper", "-a", "a.b", "", "x".repeat(64)]) {
      await expect(createJoinToken(db, authority.fingerprint, bad)).rejects.toMatchObject({ code: "invalid_request" });
    }
  });
});

describe("a link", () => {
  test("lets the control plane call an agent that dialled in", async () => {
    const identity = await joinNew();
    const changes: string[] = [];
    const unsubscribe = links.onChange((serverId) => changes.push(serverId));
    const agent = await linkedAgent(identity);
    expect(await versionAt(links.agent(identity.serverId))).toBe("test");
    expect(links.linkedServers()).toContain(identity.serverId);
    agent.kill();
    await linkGone(identity);
    expect(changes).toEqual([identity.serverId, identity.serverId]);
    unsubscribe();
  });

  test("is refused to whoever has no certificate of a server", async () => {
    const operator = await authority.issueOperatorCertificate("ada");
    const stranger = newAgent();
    await stranger.dialOut(links.address, undefined, authority.certificatePem);
    const person = newAgent();
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

  test("passes to the newest connection, and what runs on the older one finishes", async () => {
    const identity = await joinNew();
    const older = await linkedAgent(identity);
    older.status = { agentVersion: "older" };
    const log = logOf(links.agent(identity.serverId)!);
    older.say("before");
    expect(await log.next()).toBe("before");

    const newer = newAgent();
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

  test("does not wait for ever for what runs on a replaced connection", async () => {
    const impatient = await startFurtherLinks({ retireMs: 100 });
    const identity = await joinNew({ via: impatient });
    const older = await linkedAgent(identity, impatient);
    const log = logOf(impatient.agent(identity.serverId)!);
    older.say("first");
    await log.next();
    await newAgent().dialOut(impatient.address, identity, authority.certificatePem);
    expect(await codeOf(log.next())).toBe("agent_away");
  });

  test("is renewed without an interruption", async () => {
    const identity = await joinNew();
    const agent = await linkedAgent(identity);
    const log = logOf(links.agent(identity.serverId)!);
    agent.say("one");
    await log.next();
    const renewed = await withEnrolment(links.address, authority.certificatePem, identity, (client) =>
      client.renew({ csrPem: agentRequestPem, agentVersion: "renewed" }),
    );
    expect(renewed.certificatePem).not.toBe(identity.certificatePem);
    const next = newAgent();
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

  test("ends with its certificate", async () => {
    const brief = await Authority.open(dataDirectory, { memberLifeMs: 6_000 });
    const own = await startFurtherLinks({}, brief);
    const identity = await joinNew({ via: own });
    const agent = await linkedAgent(identity, own);
    await linkGone(identity, own, 15_000);
    expect(agent.isConnected).toBe(false);
    expect(await codeOf(renewal(identity, own))).toBe("unauthorized");
  });
});

describe("an agent that dies", () => {
  test("is noticed at once when its host says so, and its streams end with agent_away", async () => {
    const identity = await joinNew();
    const agent = await linkedAgent(identity);
    const client = links.agent(identity.serverId)!;
    const log = logOf(client);
    agent.say("alive");
    await log.next();
    agent.kill();
    expect(await codeOf(log.next())).toBe("agent_away");
    expect(await codeOf(client.getStatus({}))).toBe("agent_away");
    await linkGone(identity);
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    await eventually(linked, (seen) => seen === false, { what: "the database says that it is away" });
  });

  test("is noticed by its silence", async () => {
    const watchful = await startFurtherLinks({ ping: { intervalMs: 100, timeoutMs: 200 } });
    const relay = new SilentRelay(watchful.address);
    const identity = await joinNew({ via: watchful });
    const agent = newAgent();
    await agent.dialOut(await relay.start(), identity, authority.certificatePem);
    const log = logOf(await linkOf(identity, watchful));
    agent.say("alive");
    await log.next();
    relay.fallSilent();
    expect(await codeOf(log.next())).toBe("agent_away");
    await linkGone(identity, watchful);
    relay.stop();
  });

  test("a call that its caller aborts fails with the caller's reason", async () => {
    const identity = await joinNew();
    await linkedAgent(identity);
    const stopping = new AbortController();
    const log = logOf(links.agent(identity.serverId)!, stopping.signal);
    const line = log.next();
    stopping.abort();
    expect(await codeOf(line)).toBe("canceled");
  });
});

describe("a removed server", () => {
  test("loses its link within seconds, and is refused from then on", async () => {
    const identity = await joinNew();
    const agent = await linkedAgent(identity);
    await removeServer(database.db, identity.name, { force: false });
    await linkGone(identity, links, 3_000);
    await eventually(
      () => agent.isConnected,
      (connected) => !connected,
      { what: "the agent is disconnected" },
    );

    const again = newAgent();
    await again.dialOut(links.address, identity, authority.certificatePem);
    await eventually(
      () => again.isConnected,
      (connected) => !connected,
      { what: "the agent is refused" },
    );
    expect(links.agent(identity.serverId)).toBeUndefined();
    expect(await codeOf(renewal(identity))).toBe("server_removed");
    expect((await joinNew({ name: identity.name })).serverId).not.toBe(identity.serverId);
  });

  test("keeps its place while apps live on it, unless it is forced", async () => {
    const { db } = database;
    const identity = await joinNew();
    const [userId, appId] = [newId(), newId()];
    await db
      .insertInto("users")
      .values({ id: userId, email: "o@example.test", tier: "free", email_verified_at: null })
      .execute();
    const app = { id: appId, owner_id: userId, name: "shop", status: "running" as const, server_id: identity.serverId };
    await db.insertInto("apps").values(app).execute();

    await drainServer(db, identity.name);
    await expect(removeServer(db, identity.name, { force: false })).rejects.toThrow(/shop/);
    expect((await findServer(db, identity.name))?.state).toBe("draining");
    await linkedAgent(identity);

    expect((await removeServer(db, identity.name, { force: true })).apps).toEqual(["shop"]);
    const left = await db.selectFrom("apps").select(["server_id", "status"]).where("id", "=", appId).executeTakeFirst();
    expect(left).toEqual({ server_id: null, status: "failed" });
  });
});

describe("several control planes", () => {
  test("know of one another's links", async () => {
    const other = await startFurtherLinks();
    const identity = await joinNew();
    const agent = await linkedAgent(identity, other);
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    await eventually(linked, (seen) => seen === true, { what: "the link is known" });
    expect(links.agent(identity.serverId)).toBeUndefined();

    await agent.dialOut(links.address, identity, authority.certificatePem);
    await linkOf(identity, links);
    const holder = async () => (await findServer(database.db, identity.name))?.link_process_id;
    const before = await holder();
    await other.stop();
    expect(await linked()).toBe(true);
    expect(await holder()).toBe(before);
  });

  test("forget the links of a process that died", async () => {
    const identity = await joinNew();
    await recordLink(database.db, identity.serverId, { processId: newId(), validMs: 150 });
    const linked = async () => (await findServer(database.db, identity.name))?.linked;
    expect(await linked()).toBe(true);
    await eventually(linked, (seen) => seen === false, { what: "the link is forgotten" });
  });
});

test("a control plane with another authority does not start beside a fleet that would not trust it", async () => {
  await joinNew();
  const elsewhere = await mkdtemp(join(tmpdir(), "svc-fleet-"));
  const stranger = await Authority.open(elsewhere);
  await expect(startLinks({}, stranger)).rejects.toThrow(/Copy the folder fleet/);
  await expect(createJoinToken(database.db, stranger.fingerprint)).rejects.toThrow(/Copy the folder fleet/);
  await rm(elsewhere, { recursive: true });
});

test("a control plane renews its own certificate while it serves", async () => {
  const brief = await Authority.open(dataDirectory, { memberLifeMs: 9_000 });
  const own = await startFurtherLinks({}, brief);
  const first = await serialAt(own);
  await eventually(
    () => serialAt(own),
    (serial) => serial !== first,
    { what: "another certificate is shown", deadlineMs: 20_000 },
  );
  expect(await codeOf(joinNew({ via: own }))).toBe("no error");
});

describe("an agent that listens", () => {
  const timing = { dial: { connectMs: 2_000, retryMsMin: 20, retryMsMax: 100 } };

  test("is dialled, and dialled again when it comes back", async () => {
    const dialling = await startFurtherLinks(timing);
    const port = await freePort();
    const identity = await joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    const agent = newAgent();
    await agent.listen(port, identity);
    expect(await versionAt(await linkOf(identity, dialling))).toBe("test");
    agent.kill();
    await linkGone(identity, dialling);
    const again = newAgent();
    again.status = { agentVersion: "restarted" };
    await again.listen(port, identity);
    expect(await versionAt(await linkOf(identity, dialling))).toBe("restarted");

    await removeServer(database.db, identity.name, { force: false });
    await linkGone(identity, dialling, 3_000);
  });

  test("is dialled anew before a certificate expires, and what runs goes on meanwhile", async () => {
    const brief = await Authority.open(dataDirectory, { memberLifeMs: 6_000 });
    const dialling = await startFurtherLinks(timing, brief);
    const port = await freePort();
    const identity = await joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    const agent = newAgent();
    await agent.listen(port, identity);
    const log = logOf(await linkOf(identity, dialling));
    agent.say("before");
    await log.next();
    let changes = 0;
    const unsubscribe = dialling.onChange((serverId) => (changes += Number(serverId === identity.serverId)));
    const dialledAt = Date.now();
    await eventually(
      () => changes,
      (count) => count === 1,
      { what: "dialled anew" },
    );
    unsubscribe();
    expect(Date.now() - dialledAt).toBeGreaterThan(2_000);
    expect(await versionAt(dialling.agent(identity.serverId))).toBe("test");
    agent.say("after");
    expect(await log.next()).toBe("after");
  });

  test("is not mistaken for another server at its address", async () => {
    const dialling = await startFurtherLinks(timing);
    const port = await freePort();
    const impostor = await joinNew();
    const agent = newAgent();
    await agent.listen(port, impostor);
    const identity = await joinNew({ via: dialling, listenAddress: `127.0.0.1:${port}` });
    await eventually(
      () => agent.connections,
      (count) => count >= 2,
      { what: "it was dialled twice" },
    );
    expect(dialling.agent(identity.serverId)).toBeUndefined();
    await removeServer(database.db, identity.name, { force: false });
  });
});

test("an agent's newest status can be read from the database", async () => {
  const identity = await joinNew();
  const agent = await linkedAgent(identity);
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

test("fifty agents join and link at once", async () => {
  const identities = await Promise.all(Array.from({ length: 50 }, () => joinNew()));
  await Promise.all(identities.map((identity) => linkedAgent(identity)));
  const versions = await Promise.all(identities.map(({ serverId }) => versionAt(links.agent(serverId))));
  expect(new Set(versions)).toEqual(new Set(["test"]));
  expect(new Set(identities.map(({ name }) => name)).size).toBe(50);
});

function renewal(identity: AgentIdentity, on = links): Promise<unknown> {
  return withEnrolment(on.address, authority.certificatePem, identity, (client) =>
    client.renew({ csrPem: agentRequestPem, agentVersion: "test" }),
  );
}

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

/** Of the certificate that a new connection is shown. */
async function serialAt(on: Links): Promise<string> {
  const { host, port } = on.address;
  const options = { host, port, ca: authority.certificatePem, servername: CONTROL_PLANE_NAME, ALPNProtocols: ["h2"] };
  const socket = connect(options);
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
