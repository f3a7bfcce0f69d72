import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import forge from "node-forge";
import { GIT_SERVER_ADDRESS } from "./git-server.ts";

/** The certificate of the sample git server, and the authority that the control plane is told to trust for it. */
export interface GitCertificate {
  caFile: string;
  certFile: string;
  keyFile: string;
}

/** This is long enough that nobody meets its end; it is trusted by one installation alone, for loopback. */
const VALID_DAYS = 3650;

/** Is made once; the authority's key is thrown away after it has signed. */
export function ensureGitCertificate(directory: string): GitCertificate {
  const folder = join(directory, `git-tls-${GIT_SERVER_ADDRESS}`);
  const files = {
    caFile: join(folder, "ca.pem"),
    certFile: join(folder, "cert.pem"),
    keyFile: join(folder, "key.pem"),
  };
  // Written last: what an interrupted run left is made anew.
  if (existsSync(files.certFile)) return files;

  const authority = newKeyPair();
  const authorityName = [{ name: "commonName", value: "svc quickstart git" }];
  const ca = certificate(authority.publicKey, authorityName, authorityName, [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ]);
  ca.sign(authority.privateKey, forge.md.sha256.create());

  const server = newKeyPair();
  const leaf = certificate(server.publicKey, [{ name: "commonName", value: GIT_SERVER_ADDRESS }], authorityName, [
    { name: "basicConstraints", cA: false, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    {
      name: "subjectAltName",
      altNames: [{ type: 7, ip: GIT_SERVER_ADDRESS }],
    },
  ]);
  leaf.sign(authority.privateKey, forge.md.sha256.create());

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(files.keyFile, server.pem, { mode: 0o600 });
  writeFileSync(files.caFile, forge.pki.certificateToPem(ca));
  writeFileSync(files.certFile, forge.pki.certificateToPem(leaf));
  return files;
}

export function readGitTls({ certFile, keyFile }: GitCertificate): { cert: string; key: string } {
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

/** The system's generator: forge's own takes seconds. */
function newKeyPair(): { publicKey: forge.pki.rsa.PublicKey; privateKey: forge.pki.rsa.PrivateKey; pem: string } {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const publicKey = forge.pki.publicKeyFromPem(pair.publicKey) as forge.pki.rsa.PublicKey;
  const privateKey = forge.pki.privateKeyFromPem(pair.privateKey) as forge.pki.rsa.PrivateKey;
  return { publicKey, privateKey, pem: pair.privateKey };
}

function certificate(
  publicKey: forge.pki.rsa.PublicKey,
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  extensions: object[],
): forge.pki.Certificate {
  const cert = forge.pki.createCertificate();
  cert.publicKey = publicKey;
  // Positive (RFC 5280, 4.1.2.2), and without a leading zero, which DER forbids.
  cert.serialNumber = `4${randomBytes(16).toString("hex").slice(1)}`;
  cert.validity.notBefore = new Date(Date.now() - 60_000);
  cert.validity.notAfter = new Date(Date.now() + VALID_DAYS * 86_400_000);
  cert.setSubject(subject);
  cert.setIssuer(issuer);
  cert.setExtensions(extensions);
  return cert;
}
