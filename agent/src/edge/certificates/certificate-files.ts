import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { authorityFolder, INTERNAL_ONLY, parsePolicy, type CertificatePolicy } from "./certificate-policy.ts";

/** The certificate policy, as the control plane last set it. */
export function policyFile(dataDirectory: string): string {
  return join(dataDirectory, "certificate-policy.json");
}

/** The file in which the name server keeps how orders ended. */
export function issuanceFile(dataDirectory: string): string {
  return join(dataDirectory, "issuance.json");
}

/** Where the proxy runs, and reads what the agent writes for it. */
export function proxyDirectory(dataDirectory: string): string {
  return join(dataDirectory, "caddy");
}

/** Where the proxy keeps certificates, logs and all else of its own. */
export function proxyStateDirectory(dataDirectory: string): string {
  return join(proxyDirectory(dataDirectory), "state");
}

/**
 * Reads the policy that was set last; before the first, the internal authority serves all.
 * @throws Error when it can't be read
 */
export function readPolicy(dataDirectory: string): CertificatePolicy {
  const text = readOrUndefined(policyFile(dataDirectory));
  return text === undefined ? INTERNAL_ONLY : parsePolicy(text);
}

/** Reads as `readPolicy` does, for callers that ask often: a text is checked once. */
export function createPolicyReader(dataDirectory: string): () => CertificatePolicy {
  let known: { text: string | undefined; policy: CertificatePolicy } = { text: undefined, policy: INTERNAL_ONLY };
  return () => {
    const text = readOrUndefined(policyFile(dataDirectory));
    if (text !== known.text) known = { text, policy: text === undefined ? INTERNAL_ONLY : parsePolicy(text) };
    return known.policy;
  };
}

export interface Validity {
  notBefore: number;
  notAfter: number;
}

/** Reads the dates of the proxy's certificate for the name from that authority, in milliseconds since the epoch. */
export function storedCertificate(dataDirectory: string, directory: string, host: string): Validity | undefined {
  const folder = join(proxyStateDirectory(dataDirectory), "certificates", authorityFolder(directory), host);
  const pem = readOrUndefined(join(folder, `${host}.crt`));
  if (pem === undefined) return undefined;
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    return { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
  } catch {
    // Half-written: there is none yet.
    return undefined;
  }
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
