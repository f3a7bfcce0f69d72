import { createPrivateKey, X509Certificate } from "node:crypto";
import { SvcError } from "@svc/shared/errors.ts";
import { PROXY_NAME } from "@svc/shared/net/proxy-name.ts";
import { isHostName } from "@svc/shared/rules/host-name.ts";

/**
 * The authorities that hosts get their certificates from; set on the control plane.
 */
export interface CertificatePolicy {
  /** Undefined: the internal authority for all names. */
  acme: AcmeAuthority | undefined;
  /** They, and all names below them, get theirs from the internal authority. */
  internalDomains: readonly string[];
  /** The operator's own certificate with its chain, and its key, PEM. */
  own: { certificatePem: string; keyPem: string } | undefined;
}

export interface AcmeAuthority {
  /** https. */
  directory: string;
  /** Trusted for the directory, PEM; empty for none but the usual. */
  caPem: string;
  /** Empty for none. */
  email: string;
}

/** The policy until a control plane has set another one. */
export const INTERNAL_ONLY: CertificatePolicy = { acme: undefined, internalDomains: [], own: undefined };

/** Labels in front of an internal domain for which the proxy knows that the name is internal. */
const LABELS_MAX = 10;
const INTERNAL_DOMAINS_MAX = 50;
const PEM_LENGTH_MAX = 512 * 1024;

/** @throws SvcError invalid_request naming what can't be used: the proxy would not start with it */
export function requireCertificatePolicy(policy: CertificatePolicy): CertificatePolicy {
  const { acme, internalDomains, own } = policy;
  if (acme && URL.parse(acme.directory)?.protocol !== "https:") throw invalid("the ACME directory is no https address");
  if (acme && acme.caPem !== "") requireCertificates("The authority of the ACME directory", acme.caPem);
  if (acme && !/^[^\s<>]{0,254}$/.test(acme.email)) throw invalid("the ACME account's e-mail address is none");
  if (internalDomains.length > INTERNAL_DOMAINS_MAX || !internalDomains.every(isHostName)) {
    throw invalid(`internal domains are at most ${INTERNAL_DOMAINS_MAX} lower-case host names`);
  }
  if (own) requireOwn(own);
  return policy;
}

function requireOwn({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }): void {
  const certificate = requireCertificates("The operator's certificate", certificatePem);
  let fits: boolean;
  try {
    fits = certificate.checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    // The cause may hold parts of the key.
    throw invalid("the operator's key can't be read; it has to be PEM without a passphrase");
  }
  if (!fits) throw invalid("the operator's key is not that of the certificate");
}

/** The first of them, which is the leaf of a chain. */
function requireCertificates(what: string, pem: string): X509Certificate {
  try {
    if (pem.length > PEM_LENGTH_MAX) throw new Error("too long");
    return new X509Certificate(pem);
  } catch (cause) {
    throw new SvcError("invalid_request", `${what} can't be read; it has to be certificates in PEM.`, { cause });
  }
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The agent refused the certificate policy: ${what}.`);
}

/** Whether the name's certificate comes from the internal authority. */
export function isInternal(host: string, { acme, internalDomains }: CertificatePolicy): boolean {
  if (acme === undefined || host === PROXY_NAME) return true;
  return internalDomains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** Returns patterns of the internal domains for the proxy's configuration, where `*` stands for exactly one label. */
export function internalPatterns({ internalDomains }: CertificatePolicy): string[] {
  const below = (domain: string): string[] =>
    Array.from({ length: LABELS_MAX + 1 }, (_, labels) => `${"*.".repeat(labels)}${domain}`);
  return [PROXY_NAME, ...internalDomains.flatMap(below)];
}

/** The folder in which the proxy keeps what it got from an authority: host and path, as certmagic writes them. */
export function authorityFolder(directory: string): string {
  const { host, pathname } = new URL(directory);
  const path = pathname.replace(/[/\\]/g, "-").replace(/^-+|-+$/g, "");
  return [host, path]
    .filter((part) => part !== "")
    .join("-")
    .toLowerCase()
    .replaceAll("+", "_plus_")
    .replaceAll(":", "-")
    .replaceAll("..", "")
    .replace(/[^\w@.-]/g, "");
}

export function serializePolicy(policy: CertificatePolicy): string {
  return `${JSON.stringify(policy, undefined, 1)}\n`;
}

/** @throws Error when the text is none that `serializePolicy` wrote */
export function parsePolicy(text: string): CertificatePolicy {
  const { acme, internalDomains, own } = JSON.parse(text) as Partial<CertificatePolicy>;
  return requireCertificatePolicy({ acme, internalDomains: internalDomains ?? [], own });
}
