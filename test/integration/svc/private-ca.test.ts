import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import { makeSvcUser, type SvcUser } from "../../support/svc/svc.ts";

const { caPem, cert, key } = makeServerCertificates();

/** A service that has no apps; a git host that has nothing. */
const server = createServer({ cert, key }, (req, res) => {
  res.setHeader("Content-Type", "application/json");
  if (req.url?.startsWith("/api/apps")) res.end('{"apps": []}');
  else res.writeHead(404).end('{"error": "not_found"}');
});
let user: SvcUser;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  user = await makeSvcUser({ SVC_URL: `https://localhost:${port}`, SVC_API_KEY: "svc_test" });
  await user.write({ "ca.pem": caPem });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await user?.remove();
});

test("a service whose certificate is of an unknown authority ends svc with 4 and says how to trust it", async () => {
  const { status, stdout, stderr } = await user.svc(["apps"]);
  expect([status, stdout]).toEqual([4, ""]);
  expect(stderr).toContain("of an authority that is not trusted here");
  expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
  expect(stderr).toContain("GIT_SSL_CAINFO");
});

test("an authority that NODE_EXTRA_CA_CERTS names is trusted", async () => {
  const env = { NODE_EXTRA_CA_CERTS: join(user.folder, "ca.pem") };
  const { status, stderr } = await user.svc(["apps"], { env });
  expect([status, stderr]).toEqual([0, ""]);
});
