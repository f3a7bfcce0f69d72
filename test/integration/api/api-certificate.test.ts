import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { listen, type ApiListener } from "@svc/control-plane/api/listener.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { keepLogged } from "../../support/tools/logged.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-api-certificate-"));
const tls = { certFile: join(directory, "cert.pem"), keyFile: join(directory, "key.pem") };
const { log, logged } = keepLogged();
let api: ApiListener;

function write({ cert, key }: { cert: string; key: string }): string {
  writeFileSync(tls.certFile, cert);
  writeFileSync(tls.keyFile, key);
  return new X509Certificate(cert).fingerprint256;
}

async function served(): Promise<string> {
  const socket = connect({ port: api.address.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const certificate = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
  return certificate.fingerprint256;
}

beforeAll(async () => {
  write(makeServerCertificates());
  const address = { host: "127.0.0.1", port: 0 };
  api = await listen({ fetch: () => new Response("ok") }, { address, tls, log });
});
afterAll(async () => {
  await api?.close();
  rmSync(directory, { recursive: true });
});

test("the API serves the certificate that its files have now, and the last one that could be used", async () => {
  const renewed = write(makeServerCertificates());
  expect(await served()).not.toBe(renewed);
  await eventually(served, (seen) => seen === renewed, { what: "the new one is served", deadlineMs: 15_000 });

  writeFileSync(tls.certFile, makeServerCertificates().cert);
  const isLogged = () => logged.some(({ text }) => text === "the API's new certificate can't be used");
  await eventually(() => isLogged(), Boolean, { what: "the pair is refused", deadlineMs: 15_000 });
  expect(await served()).toBe(renewed);
});
