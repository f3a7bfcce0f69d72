import { createHmac } from "node:crypto";
import { isIP } from "node:net";
import { SvcError } from "@svc/shared/errors.ts";
import { PROXY_NAME } from "@svc/shared/net/proxy-name.ts";
import { HOST_NAME_LENGTH_MAX, isHostNameLabel } from "@svc/shared/rules/host-name.ts";

/** The most domains of an app. */
export const DOMAINS_PER_APP_MAX = 10;

export interface DomainRules {
  appsDomain: string;
  /** Host of {base_url}. */
  baseHost: string;
  /** Whether the name is a public suffix by itself, such as `co.uk`. */
  isPublicSuffix(domain: string): boolean;
}

/**
 * Checks a custom domain: a lower-case host name of at least two labels, internationalised names as A-labels.
 * @throws SvcError invalid_request, domain_reserved
 */
export function checkCustomDomain(domain: string, rules: DomainRules): void {
  const labels = domain.split(".");
  if (domain !== domain.toLowerCase()) throw invalid(domain, "it has to be in lower case");
  if (isIP(domain) !== 0 || /^[0-9]+$/.test(labels.at(-1)!)) throw invalid(domain, "an IP address is no domain");
  if (/[^ -~]/.test(domain)) throw invalid(domain, "an internationalised name is given as A-labels (xn--…)");
  if (/[/:@]/.test(domain))
    throw invalid(domain, "give the name alone, such as shop.example.com, without https:// and path");
  if (domain.length > HOST_NAME_LENGTH_MAX)
    throw invalid(domain, `it may have at most ${HOST_NAME_LENGTH_MAX} characters`);
  if (labels.length < 2) throw invalid(domain, "it needs at least two labels, such as shop.example.com");
  if (!labels.every(isHostNameLabel)) {
    throw invalid(domain, "each label is letters, digits and inner hyphens, 1 to 63 of them");
  }
  if (rules.isPublicSuffix(domain)) throw invalid(domain, "it is a public suffix, below which others have domains");
  for (const reserved of [rules.appsDomain, rules.baseHost, PROXY_NAME]) {
    if (domain === reserved || domain.endsWith(`.${reserved}`)) {
      throw new SvcError("domain_reserved", `${domain} belongs to the platform: attach a domain of your own.`);
    }
  }
}

function invalid(domain: string, rule: string): SvcError {
  return new SvcError(
    "invalid_request",
    `domain: ${JSON.stringify(domain.slice(0, 300))} cannot be attached: ${rule}.`,
  );
}

/** Returns the host names of an app that an agent is told. */
export function hostsToRoute(
  subdomain: string,
  domains: readonly { domain: string; leads_here: boolean }[],
): { hosts: string[]; pendingHosts: string[]; subdomain: string } {
  return {
    hosts: [subdomain, ...domains.map(({ domain }) => domain)],
    pendingHosts: domains.filter((each) => !each.leads_here).map(({ domain }) => domain),
    subdomain,
  };
}

export interface DomainProof {
  /** Name of the TXT record. */
  record: string;
  /** The value that one of its records has to have. */
  value: string;
}

/** The same for every retry of the same user and domain, and for no other. */
export function domainProof(key: Buffer, userId: string, domain: string): DomainProof {
  const token = createHmac("sha256", key).update(`${userId}\u0000${domain}`).digest("base64url");
  return { record: `_svc-verify.${domain}`, value: `svc-verify=${token}` };
}

/** The path may name anything, of any length. */
export function notAttached(app: { name: string }, domain: string): SvcError {
  return new SvcError("not_found", `${domain.slice(0, 300)} is not attached to the app ${app.name}.`);
}
