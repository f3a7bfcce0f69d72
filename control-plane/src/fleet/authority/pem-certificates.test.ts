import { expect, test } from "vitest";
import { issueCertificate, generateRsaKey } from "./certificates.ts";
import { checkCertificates } from "./pem-certificates.ts";

async function certificate(): Promise<string> {
  const { privateKeyPem, publicKeyPem } = await generateRsaKey();
  const subject = { kind: "authority", commonName: "test" } as const;
  return issueCertificate({ privateKeyPem }, subject, publicKeyPem, { now: new Date(), lifeMs: 60_000 });
}

test("one or more certificates are taken, text between them included", async () => {
  const pem = await certificate();
  expect(() => checkCertificates(pem)).not.toThrow();
  expect(() => checkCertificates(`# first\n${pem}# second\r\n${pem}`)).not.toThrow();
});

test("a text without a certificate, or with a broken one, is refused", async () => {
  const pem = await certificate();
  expect(() => checkCertificates("")).toThrow(/no certificate in PEM/);
  expect(() => checkCertificates("/etc/ssl/ca.pem")).toThrow(/no certificate in PEM/);
  const broken = pem.replace(/\n[^\n]+\n/, "\nAAAA\n");
  expect(() => checkCertificates(pem + broken)).toThrow(/certificate 2 of 2/);
  expect(() => checkCertificates(pem + pem.slice(0, 100))).toThrow(/something else/);
});
