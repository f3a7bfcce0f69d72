import { parse } from "tldts";

/** Whether nobody can own the name itself: `com`, `co.uk`, `github.io`. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, { allowPrivateDomains: true }).publicSuffix === domain;
}
