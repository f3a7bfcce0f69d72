import { createServer } from "node:http";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect, type ClientHttp2Session } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentity, saveIdentity } from "@svc/agent/link/identity.ts";
import { createSigningRequest, generateKey } from "@svc/agent/link/signing-request.ts";
import { Authority } from "@svc/control-plane/fleet/authority/authority.ts";
import { ControlPlaneCredentials } from "@svc/control-plane/fleet/authority/control-plane-credentials.ts";
import { createEnrolmentHandler } from "@svc/control-plane/fleet/joining/enrolment.ts";
import { listenForAgents } from "@svc/control-plane/fleet/links/listener.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startAgentInProcess } from "../../support/agent/agent-in-process.ts";

let directory: string;
let authority: Authority;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-unreadable-"));
  authority = await Authority.open(join(directory, "authority"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A call with an authority that is no host's, over the connection. */
async function statusOf(session: ClientHttp2Session, path: string): Promise<unknown> {
  const headers = { ":method": "POST", ":path": path, ":authority": "[", "content-type": "application/json" };
  const stream = session.request(headers);
  stream.end("{}");
  const [answer] = (await once(stream, "response")) as [{ ":status"?: number }];
  stream.resume();
  return answer[":status"];
}

function open({ port }: HostPort, identity: { key?: string; cert?: string } = {}): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...identity });
  cleanups.push(() => session.destroy());
  return session;
}

test("a stranger's call that can't be read is refused by the control plane, which goes on", async () => {
  const credentials = await ControlPlaneCredentials.issue(authority, log);
  const enrolment = createEnrolmentHandler({ db: {} as never, authority, log });
  const onLink = (): void => undefined;
  const listen = { host: "127.0.0.1", port: 0 };
  const listener = await listenForAgents({ listen, credentials, enrolment, bundles: createServer(), onLink, log });
  cleanups.push(
    () => listener.close(),
    () => credentials.stop(),
  );
  const session = open(listener.address);
  for (let time = 0; time < 2; time++) {
    expect(await statusOf(session, "/svc.fleet.v1.EnrolmentService/Join")).toBe(400);
  }
});

test("an operator's call that can't be read is refused by the agent, which goes on", async () => {
  const serverId = newId();
  const keyPem = await generateKey();
  const signed = { id: serverId, listenAddress: undefined };
  const certificatePem = await authority.signServer(await createSigningRequest(keyPem), signed);
  const names = { serverId, serverName: "server-1", authorityPem: authority.certificatePem };
  const data = join(directory, "agent");
  await mkdir(data);
  await saveIdentity(data, createIdentity({ keyPem, certificatePem, ...names }));
  const agent = await startAgentInProcess(data, { listen: { host: "127.0.0.1", port: 0 } });
  cleanups.push(() => agent.stop());
  const operator = await authority.issueOperatorCertificate("ada");
  const session = open(agent.listen!, { key: operator.keyPem, cert: operator.certificatePem });
  for (let time = 0; time < 2; time++) {
    expect(await statusOf(session, "/svc.agent.v1.AgentService/GetStatus")).toBe(400);
  }
});
