import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import forge from "node-forge";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { identityFromSubjectAltName } from "@svc/shared/rules/fleet-identity.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { Authority } from "./authority.ts";
import { generateRsaKey, type KeyPairPem } from "./certificates.ts";

const run = promisify(execFile);
const DAY_MS = 24 * 3_600_000;

let directory: string;
let authority: Authority;
let root: X509Certificate;
let key: KeyPairPem;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-authority-"));
  [authority, key] = await Promise.all([Authority.open(directory), generateRsaKey()]);
  root = new X509Certificate(authority.certificatePem);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function requestFor(pair: KeyPairPem, options: { subject?: string; signWith?: string } = {}): string {
  const request = forge.pki.createCertificationRequest();
  request.publicKey = forge.pki.publicKeyFromPem(pair.publicKeyPem);
  request.setSubject([{ name: "commonName", value: options.subject ?? "anything" }]);
  request.sign(forge.pki.privateKeyFromPem(options.signWith ?? pair.privateKeyPem), forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(request);
}

describe("the authority", () => {
  test("keeps its key to itself and its root for ten years", async () => {
    expect((await stat(join(directory, "fleet", "authority.key"))).mode & 0o777).toBe(0o600);
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.publicKey.asymmetricKeyDetails?.modulusLength).toBe(3072);
    expect(daysUntil(root)).toBeCloseTo(3650, 0);
  });

  test("is the same one when it is opened again", async () => {
    const again = await Authority.open(directory);
    expect(again.fingerprint).toBe(authority.fingerprint);
    expect(again.fingerprint).toBe(root.fingerprint256.replaceAll(":", "").toLowerCase());
  });

  test("is the same one for processes that start together", async () => {
    const shared = await mkdtemp(join(tmpdir(), "svc-authority-"));
    const opened = await Promise.all([1, 2, 3].map(() => Authority.open(shared)));
    expect(new Set(opened.map((one) => one.fingerprint)).size).toBe(1);
    const signed = await Promise.all(opened.map((one) => one.signServer(requestFor(key), server())));
    const common = new X509Certificate(opened[0]!.certificatePem);
    for (const pem of signed) expect(new X509Certificate(pem).verify(common.publicKey)).toBe(true);
    expect((await readdir(join(shared, "fleet"))).toSorted()).toEqual(["authority.key", "authority.pem"]);
    await rm(shared, { recursive: true });
  });

  test("refuses to open with a key of another authority", async () => {
    const mixed = await mkdtemp(join(tmpdir(), "svc-authority-"));
    await Authority.open(mixed);
    await writeFile(join(mixed, "fleet", "authority.key"), key.privateKeyPem);
    await expect(Authority.open(mixed)).rejects.toThrow(/restore both files/);
    await rm(mixed, { recursive: true });
  });
});

describe("a server's certificate", () => {
  test("carries the identity that we give, whatever the request says", async () => {
    const { id } = server();
    const pem = await authority.signServer(requestFor(key, { subject: "control-plane" }), {
      id,
      listenAddress: undefined,
    });
    const certificate = new X509Certificate(pem);
    expect(identityFromSubjectAltName(certificate.subjectAltName)).toEqual({ role: "server", id });
    expect(certificate.subject).not.toContain("CN=control-plane");
    expect(certificate.checkHost(`${id}.server.svc.internal`)).toBeDefined();
    expect(certificate.checkHost("localhost")).toBeUndefined();
    expect(certificate.checkHost("control-plane.svc.internal")).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(key.privateKeyPem))).toBe(true);
    expect(daysUntil(certificate)).toBeCloseTo(30, 0);
    expect(new Date(certificate.validFrom).getTime()).toBeLessThanOrEqual(Date.now() - 4 * 60_000);
    expect(certificate.keyUsage?.toSorted()).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect(certificate.serialNumber).toHaveLength(32);
  });

  test("names the address on which its agent is dialled", async () => {
    const byAddress = await authority.signServer(requestFor(key), { ...server(), listenAddress: "192.0.2.7:9443" });
    expect(new X509Certificate(byAddress).checkIP("192.0.2.7")).toBeDefined();
    expect(new X509Certificate(byAddress).checkHost("localhost")).toBeDefined();
    const byName = await authority.signServer(requestFor(key), { ...server(), listenAddress: "host-1.example:9443" });
    expect(new X509Certificate(byName).checkHost("host-1.example")).toBeDefined();
  });

  test("is accepted by openssl for both directions", async () => {
    const path = join(directory, "server.pem");
    await writeFile(path, await authority.signServer(requestFor(key), { ...server(), listenAddress: "[::1]:9443" }));
    for (const purpose of ["sslclient", "sslserver"]) {
      const rootPath = join(directory, "fleet", "authority.pem");
      const verify = await run("openssl", ["verify", "-x509_strict", "-purpose", purpose, "-CAfile", rootPath, path]);
      expect(verify.stdout).toContain("OK");
    }
  });

  test.each([
    ["of no certificate request", () => "hello"],
    ["signed with another key", async () => requestFor(key, { signWith: (await generateRsaKey()).privateKeyPem })],
    ["of a short key", () => requestFor(shortKey())],
    ["longer than any request", () => requestFor(key) + " ".repeat(20_000)],
  ])("is not issued for a text %s", async (_, makeRequest) => {
    await expect(authority.signServer(await makeRequest(), server())).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test("is not issued for an address that cannot be dialled", async () => {
    const signing = authority.signServer(requestFor(key), { ...server(), listenAddress: "nowhere" });
    await expect(signing).rejects.toMatchObject({ code: "invalid_request" });
  });
});

test("an operator's certificate is good for a client only", async () => {
  const { certificatePem, keyPem } = await authority.issueOperatorCertificate("ada");
  const certificate = new X509Certificate(certificatePem);
  expect(identityFromSubjectAltName(certificate.subjectAltName)).toEqual({ role: "operator", id: "ada" });
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  await expect(authority.issueOperatorCertificate("a/b")).rejects.toMatchObject({ code: "invalid_request" });
});

function server(): { id: string; listenAddress: undefined } {
  return { id: newId(), listenAddress: undefined };
}

function daysUntil(certificate: X509Certificate): number {
  return (new Date(certificate.validTo).getTime() - Date.now()) / DAY_MS;
}

/** node-forge makes it in some 50 ms; no key of this size is ever used. */
function shortKey(): KeyPairPem {
  const pair = forge.pki.rsa.generateKeyPair({ bits: 1024 });
  return {
    privateKeyPem: forge.pki.privateKeyToPem(pair.privateKey),
    publicKeyPem: forge.pki.publicKeyToPem(pair.publicKey),
  };
}
