import { getCACertificates } from "node:tls";

/**
 * Every certificate authority that git may trust, as one PEM text: those of the system, those that this process was
 * given (NODE_EXTRA_CA_CERTS), those of the policy.
 */
export function trustedAuthorities(policyPem: string): string {
  const system = getCACertificates("system");
  const base = system.length > 0 ? system : getCACertificates("bundled");
  return [...new Set([...base, ...getCACertificates("extra"), policyPem])].filter(Boolean).join("\n");
}
