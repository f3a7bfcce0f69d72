import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";

export interface ServerCertificates {
  /** The authority's certificate, PEM: what a client must trust. */
  caPem: string;
  cert: string;
  key: string;
}

/**
 * A new authority and a certificate for `localhost` and the loopback addresses, valid for a day. Whoever trusts two
 * authorities needs them to have two names.
 */
export function makeServerCertificates(
  names: readonly string[] = ["localhost"],
  authorityName = "test authority",
): ServerCertificates {
  const authority = keyPair();
  const server = keyPair();
  const issuer = [{ name: "commonName", value: authorityName }];
  const ca = certificate(authority.publicKey, issuer, issuer, [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
  ]);
  ca.sign(authority.privateKey, forge.md.sha256.create());
  const leaf = certificate(server.publicKey, [{ name: "commonName", value: names[0] }], issuer, [
    { name: "basicConstraints", cA: false },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectAltName", altNames: [...names.map(dnsName), ...["127.0.0.1", "::1"].map(ipName)] },
  ]);
  leaf.sign(authority.privateKey, forge.md.sha256.create());
  return { caPem: forge.pki.certificateToPem(ca), cert: forge.pki.certificateToPem(leaf), key: server.pem };
}

/** Node's generator: forge's own takes seconds. */
function keyPair(): { publicKey: forge.pki.rsa.PublicKey; privateKey: forge.pki.rsa.PrivateKey; pem: string } {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = pair.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const privateKey = forge.pki.privateKeyFromPem(pem);
  return { publicKey: forge.pki.setRsaPublicKey(privateKey.n, privateKey.e), privateKey, pem };
}

function certificate(
  publicKey: forge.pki.rsa.PublicKey,
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  extensions: object[],
): forge.pki.Certificate {
  const result = forge.pki.createCertificate();
  result.publicKey = publicKey;
  // Positive, and without a leading zero, which DER forbids.
  result.serialNumber = `4${forge.util.bytesToHex(forge.random.getBytesSync(16)).slice(1)}`;
  // An hour ago, for clocks that differ.
  result.validity.notBefore = new Date(Date.now() - 3_600_000);
  result.validity.notAfter = new Date(Date.now() + 86_400_000);
  result.setSubject(subject);
  result.setIssuer(issuer);
  result.setExtensions(extensions);
  return result;
}

function dnsName(value: string): object {
  return { type: 2, value };
}

function ipName(ip: string): object {
  return { type: 7, ip };
}
