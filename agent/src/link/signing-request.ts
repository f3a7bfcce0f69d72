import { createPublicKey, generateKeyPair, sign } from "node:crypto";
import { promisify } from "node:util";
import type forge from "node-forge";

/** 128-bit security (NIST SP 800-57, table 2), as for the authority itself; node-forge knows RSA only. */
const KEY_BITS = 3072;

/** A new private key, PKCS #8 in PEM, made off the event loop. */
export async function generateKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: KEY_BITS });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/**
 * A PKCS #10 request in PEM, for the key alone: the names are the control plane's to give. node-forge builds the structure
 * and is loaded only then, since it costs 5 MB; the signature is made on the thread pool, because node-forge's own arithmetic
 * holds the event loop for 0.3 s.
 */
export async function createSigningRequest(keyPem: string): Promise<string> {
  const { default: forge } = await import("node-forge");
  const request = forge.pki.createCertificationRequest();
  const publicKeyPem = createPublicKey(keyPem).export({ type: "spki", format: "pem" }).toString();
  request.publicKey = forge.pki.publicKeyFromPem(publicKeyPem);
  request.setSubject([{ name: "commonName", value: "agent" }]);
  request.signatureOid = forge.pki.oids["sha256WithRSAEncryption"]!;
  request.signature = "";
  const [toBeSigned] = forge.pki.certificationRequestToAsn1(request).value as forge.asn1.Asn1[];
  const der = Buffer.from(forge.asn1.toDer(toBeSigned!).getBytes(), "binary");
  request.certificationRequestInfo = toBeSigned!;
  request.signature = (await promisify(sign)("sha256", der, keyPem)).toString("binary");
  return forge.pki.certificationRequestToPem(request).replaceAll("\r\n", "\n");
}
