import { createHash } from "node:crypto";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, vi } from "vitest";
import { byCommand } from "@svc/control-plane/platform/audit.store.ts";
import { openAgentBundle, readInstaller, type AgentBundle } from "@svc/control-plane/fleet/bundle/agent-bundle.ts";
import { createJoinToken } from "@svc/control-plane/fleet/joining/create-join-token.ts";
import { serveBundles } from "@svc/control-plane/fleet/bundle/serve-bundle.ts";
import type { Links } from "@svc/control-plane/fleet/links/links.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { CONTROL_PLANE_NAME } from "@svc/shared/rules/fleet-identity.ts";
import { fleetTest as test } from "../../support/agent/fleet-test.ts";
import { joinFleet } from "../../support/agent/fleet.ts";

/** As `curl --http1.1 --cacert` does. */
async function get(
  { links, ca }: { links: Links; ca: string },
  path: string,
  { token, method = "GET" }: { token?: string; method?: string } = {},
): Promise<{ status: number; body: Buffer; headers: IncomingMessage["headers"] }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const tls = { ca, servername: CONTROL_PLANE_NAME, ALPNProtocols: ["http/1.1"], agent: false } as const;
  request({ ...links.address, ...tls, method, path, headers }, resolve)
    .on("error", reject)
    .end();
  const response = await promise;
  return { status: response.statusCode!, body: await buffer(response), headers: response.headers };
}

test("the script that installs an agent is for anybody, with the SHA-256 that the command names", async ({
  links,
  authority,
}) => {
  const { status, body } = await get({ links, ca: authority.certificatePem }, "/install-agent.sh");
  expect(status).toBe(200);
  expect(createHash("sha256").update(body).digest("hex")).toBe((await readInstaller()).sha256);
});

test("the agent is for whoever has a join token, until it was used", async ({ links, authority, database }) => {
  const at = { links, ca: authority.certificatePem };
  const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand);
  const facts = await get(at, "/agent.json?arch=x86_64", { token });
  const { version, sha256, bytes } = await openAgentBundle("x64");
  expect(JSON.parse(facts.body.toString())).toEqual({ version, sha256, bytes: String(bytes) });
  const archive = await get(at, "/agent.tar?arch=x86_64", { token });
  expect(archive.headers["content-length"]).toBe(String(bytes));
  expect(createHash("sha256").update(archive.body).digest("hex")).toBe(sha256);

  const unknown = `svcjoin_${"x".repeat(43)}.${authority.fingerprint}`;
  for (const bad of [undefined, "", "nonsense", unknown, `${token}x`]) {
    for (const path of ["/agent.json", "/agent.tar"]) {
      const refused = await get(at, path, bad === undefined ? {} : { token: bad });
      expect([refused.status, refused.body.toString()]).toEqual([401, expect.stringContaining("server token")]);
    }
  }
  await joinFleet({ address: links.address, token, authorityPem: authority.certificatePem });
  expect((await get(at, "/agent.tar", { token })).status).toBe(401);
});

test("what is not there, or not for this host, is refused with a sentence", async ({ links, authority, database }) => {
  const at = { links, ca: authority.certificatePem };
  const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand);
  const other = await get(at, "/agent.json?arch=riscv64", { token });
  expect([other.status, other.body.toString()]).toEqual([404, expect.stringContaining('"riscv64"')]);
  for (const path of ["/", "/agent", "/../etc/passwd", "//", "/install-agent.sh/x"]) {
    expect((await get(at, path, { token })).status).toBe(404);
  }
  expect((await get(at, "/agent.json", { token, method: "POST" })).status).toBe(404);
});

test("four hosts fetch the agent at a time, and the next one is told to come back", async ({ authority, database }) => {
  const tokens: string[] = [];
  while (tokens.length < 5) {
    tokens.push((await createJoinToken(database.db, authority.fingerprint, byCommand)).token);
  }
  const slow = new PassThrough();
  const open = (): PassThrough => slow.pipe(new PassThrough());
  const facts = { version: "0.1.0+111111111111", sha256: "1".repeat(64), bytes: 3 };
  const openBundle = (): Promise<AgentBundle> => Promise.resolve({ ...facts, stream: open });
  const server = serveBundles({ db: database.db, log: silentLogger, openBundle }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent.tar`;
  const fetchWith = (token: string, at = url): Promise<Response> =>
    fetch(at, { headers: { authorization: `Bearer ${token}` } });
  try {
    // Each has its headers, and waits for the archive.
    const fetching = await Promise.all(tokens.slice(0, 4).map((token) => fetchWith(token)));
    expect(fetching.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await (await fetchWith(tokens[0]!)).text()).toContain("with this token already");
    const refused = await fetchWith(tokens[4]!);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await refused.text()).toContain("4 hosts fetch the agent already");
    slow.end("tar");
    expect(await Promise.all(fetching.map((each) => each.text()))).toEqual(["tar", "tar", "tar", "tar"]);
    expect((await fetchWith(tokens[0]!, url.replace(".tar", ".json"))).status).toBe(200);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("a connection that asks for nothing ends after 10 s, and more than 64 at a time are refused", async ({
  database,
}) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const server = serveBundles({ db: database.db, log: silentLogger }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connected = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    await Promise.all([once(socket, "connect"), once(server, "connection")]);
    return socket;
  };
  try {
    const first = await connected();
    // What comes byte by byte is no request yet.
    first.write("GET /install-agent.sh HTTP/1.1\r\nx: ");
    for (let more = 1; more < 64; more++) await connected();
    const beyond = await connected();
    await once(beyond.resume(), "close");
    const ended = once(first.resume(), "close");
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
    expect((await fetch(`http://127.0.0.1:${port}/install-agent.sh`)).status).toBe(200);
  } finally {
    vi.useRealTimers();
    server.close();
    server.closeAllConnections();
  }
});

test("of requests that come behind one another on a connection the first alone is answered", async ({ database }) => {
  const server = serveBundles({ db: database.db, log: silentLogger }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    socket.on("error", () => undefined).write("GET /install-agent.sh HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1_000));
    let answer = "";
    socket.on("data", (bytes: Buffer) => (answer += bytes.toString()));
    await once(socket, "close");
    expect(answer.split("HTTP/1.1 ").length - 1).toBeLessThan(2);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
