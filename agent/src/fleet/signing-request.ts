import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";

/** 128-bit security (NIST SP 800-57, table 2), as for the authority itself; node-forge knows RSA only. */
const KEY_BITS = 3072;

/** A new private key, PKCS #8 in PEM, made off the event loop. */
export async function generateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * A PKCS #10 request in PEM, for the key alone: the names are the control plane's to give. Holds the event loop for
 * about 0.2 s, once in a certificate's life; node-forge is loaded only then, since it costs 5 MB.
 */
export async function createSigningRequest(keyPem: string): Promise<string> {
  const { default: forge } = await import("node-forge");
  const request = forge.pki.createCertificationRequest();
  const publicKeyPem = createPublicKey(keyPem).export({ type: "spki", format: "pem" }).toString();
  request.publicKey = forge.pki.publicKeyFromPem(publicKeyPem);
  request.setSubject([{ name: "commonName", value: "agent" }]);
  request.sign(forge.pki.privateKeyFromPem(keyPem), forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(request).replaceAll("\r\n", "\n");
}
