import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createCertificatePolicy } from "./certificate-policy.ts";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "policy-"))));
afterEach(() => rm(folder, { recursive: true }));

const policy = (directory: string | undefined) =>
  createCertificatePolicy({ acme: { directory, caPem: "", email: undefined }, own: undefined })();

it("the policy is Let's Encrypt for public names unless the operator names an authority", async () => {
  const usual = await policy(undefined);
  expect(usual.acmeDirectory).toBe("https://acme-v02.api.letsencrypt.org/directory");
  expect(usual.internalDomains).toEqual(expect.arrayContaining(["localhost", "internal", "home.arpa", "test"]));
});

it("the policy is the named authority for all names but loopback's", async () => {
  const named = await policy("https://ca.example.com/dir");
  expect(named).toMatchObject({ acmeDirectory: "https://ca.example.com/dir", internalDomains: ["localhost"] });
});

it("the policy is no authority but the hosts' own when the operator says so", async () => {
  expect((await policy("internal")).acmeDirectory).toBe("");
});

it("a policy of files that are not a certificate and its key is refused, and no key is repeated", async () => {
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const acme = { directory: undefined, caPem: "", email: undefined };
  const read = createCertificatePolicy({ acme, own: { certFile, keyFile } });
  await expect(read()).rejects.toThrow(/SVC_APPS_CERT_FILE is .*ENOENT/);
  await writeFile(certFile, rootCertificates[0]!);
  await writeFile(keyFile, "-----BEGIN PRIVATE KEY-----\nhunter2");
  await expect(read()).rejects.toThrow(/^(?!.*hunter2).*key can't be read/);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  await expect(read()).rejects.toThrow(/not that of its first certificate/);
});
