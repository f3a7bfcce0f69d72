import { createHash } from "node:crypto";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { expect } from "vitest";
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
  const { token } = await createJoinToken(database.db, authority.fingerprint, byCommand);
  const slow = new PassThrough();
  const open = (): PassThrough => slow.pipe(new PassThrough());
  const facts = { version: "0.1.0+111111111111", sha256: "1".repeat(64), bytes: 3 };
  const openBundle = (): Promise<AgentBundle> => Promise.resolve({ ...facts, stream: open });
  const server = serveBundles({ db: database.db, log: silentLogger, openBundle }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent.tar`;
  const headers = { authorization: `Bearer ${token}` };
  try {
    // Each has its headers, and waits for the archive.
    const fetching = await Promise.all(Array.from({ length: 4 }, () => fetch(url, { headers })));
    expect(fetching.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await fetch(url, { headers });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await refused.text()).toContain("4 hosts fetch the agent already");
    slow.end("tar");
    expect(await Promise.all(fetching.map((each) => each.text()))).toEqual(["tar", "tar", "tar", "tar"]);
    expect((await fetch(url.replace(".tar", ".json"), { headers })).status).toBe(200);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
