import { createHash, generateKeyPair, randomBytes, sign, type X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import forge from "node-forge";
import { SvcError } from "@svc/shared/errors.ts";

/**
 * X.509 for the fleet. node-forge builds the structures; keys and signatures are made by node:crypto on its thread
 * pool, because node-forge's own arithmetic holds the event loop for up to 300 ms a signature.
 */

const generateKeyPairAsync = promisify(generateKeyPair);
const signAsync = promisify(sign);

/** 128-bit security until well after the root expires (NIST SP 800-57, table 2), and still quick to use. */
const KEY_BITS = 3072;

/** Clocks of hosts differ; a certificate that is a moment too new for its reader would be refused. */
const BACKDATE_MS = 5 * 60_000;

export interface KeyPairPem {
  privateKeyPem: string;
  publicKeyPem: string;
}

export async function generateRsaKey(): Promise<KeyPairPem> {
  const { privateKey, publicKey } = await generateKeyPairAsync("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}

export interface Issuer {
  privateKeyPem: string;
  /** Absent for the root, which signs itself. */
  certificatePem?: string;
}

export type Subject =
  | { kind: "authority"; commonName: string }
  | {
      kind: "member";
      commonName: string;
      uri: string;
      /** DNS names and IP addresses. */
      hosts: readonly string[];
      usages: readonly ("client" | "server")[];
    };

export interface Validity {
  now: Date;
  lifeMs: number;
}

/** A certificate for `publicKeyPem`, PEM. */
export async function issueCertificate(
  issuer: Issuer,
  subject: Subject,
  publicKeyPem: string,
  validity: Validity,
): Promise<string> {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKeyPem);
  certificate.serialNumber = randomSerial();
  certificate.validity.notBefore = new Date(validity.now.getTime() - BACKDATE_MS);
  certificate.validity.notAfter = new Date(validity.now.getTime() + validity.lifeMs);
  certificate.setSubject([{ name: "commonName", value: subject.commonName }]);

  const parent = issuer.certificatePem ? forge.pki.certificateFromPem(issuer.certificatePem) : certificate;
  certificate.setIssuer(parent.subject.attributes);
  certificate.setExtensions([
    ...extensionsOf(subject),
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier: parent.generateSubjectKeyIdentifier().getBytes() },
  ]);
  return signedPem(certificate, issuer.privateKeyPem);
}

function extensionsOf(subject: Subject): object[] {
  if (subject.kind === "authority") {
    return [
      { name: "basicConstraints", critical: true, cA: true, pathLenConstraint: 0 },
      { name: "keyUsage", critical: true, keyCertSign: true, cRLSign: true },
    ];
  }
  return [
    { name: "basicConstraints", critical: true, cA: false },
    { name: "keyUsage", critical: true, digitalSignature: true },
    {
      name: "extKeyUsage",
      clientAuth: subject.usages.includes("client"),
      serverAuth: subject.usages.includes("server"),
    },
    { name: "subjectAltName", altNames: [{ type: SAN_URI, value: subject.uri }, ...subject.hosts.map(hostName)] },
  ];
}

/** GeneralName tags (RFC 5280, 4.2.1.6). */
const SAN_DNS = 2;
const SAN_URI = 6;
const SAN_IP = 7;

function hostName(host: string): object {
  return isIP(host) ? { type: SAN_IP, ip: host } : { type: SAN_DNS, value: host };
}

/** 128 random bits; positive and without a leading zero byte, as DER wants an integer. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString("hex");
}

async function signedPem(certificate: forge.pki.Certificate, privateKeyPem: string): Promise<string> {
  const algorithm = forge.pki.oids["sha256WithRSAEncryption"]!;
  certificate.signatureOid = algorithm;
  certificate.siginfo.algorithmOid = algorithm;
  certificate.signature = "";
  const [toBeSigned] = forge.pki.certificateToAsn1(certificate).value as forge.asn1.Asn1[];
  const der = Buffer.from(forge.asn1.toDer(toBeSigned!).getBytes(), "binary");
  certificate.tbsCertificate = toBeSigned!;
  certificate.signature = (await signAsync("sha256", der, privateKeyPem)).toString("binary");
  return forge.pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
}

/** A request is about 1.5 KB. */
const REQUEST_LENGTH_MAX = 16 * 1024;
const REQUEST_KEY_BITS = { min: 2048, max: 4096 };

/**
 * The public key of a PKCS #10 request whose signature proves that the sender holds the private key. Nothing else in
 * the request is used.
 * @returns SPKI, PEM
 * @throws SvcError invalid_request
 */
export function publicKeyOfRequest(requestPem: string): string {
  if (requestPem.length > REQUEST_LENGTH_MAX) {
    throw invalidRequest(`is ${requestPem.length} characters long; allowed are ${REQUEST_LENGTH_MAX}`);
  }
  const request = parseRequest(requestPem);
  const publicKey = request.publicKey as forge.pki.rsa.PublicKey;
  const bits = publicKey.n.bitLength();
  // The exponent that every tool uses; larger ones cost the verifier seconds.
  const fits = bits >= REQUEST_KEY_BITS.min && bits <= REQUEST_KEY_BITS.max && publicKey.e.toString(16) === "10001";
  if (!fits) {
    const { min, max } = REQUEST_KEY_BITS;
    throw invalidRequest(`has a key of ${bits} bits; allowed is RSA of ${min} to ${max} bits with exponent 65537`);
  }
  if (!hasValidSignature(request)) throw invalidRequest("is not signed with the key that it names");
  return forge.pki.publicKeyToPem(publicKey);
}

/** Returns the key that tells one host of a server from another: SHA-256 of the public key, which renewals keep. */
export function hostKeyOf({ publicKey }: X509Certificate): Buffer {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest();
}

function parseRequest(pem: string): forge.pki.CertificateSigningRequest {
  try {
    return forge.pki.certificationRequestFromPem(pem);
  } catch (cause) {
    throw invalidRequest("cannot be read; allowed is PKCS #10 in PEM with an RSA key", cause);
  }
}

function hasValidSignature(request: forge.pki.CertificateSigningRequest): boolean {
  try {
    return request.verify();
  } catch {
    return false;
  }
}

function invalidRequest(problem: string, cause?: unknown): SvcError {
  return new SvcError("invalid_request", `The certificate signing request ${problem}.`, { cause });
}
