/** The pool of a server, and of an app, that names no other. */
export const DEFAULT_POOL = "default";

/** The name of a pool of servers: a label of RFC 1123 in lower case. */
export const POOL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A label of a server: a word such as `ssd`, or a fact such as `zone=eu-1`. */
export const SERVER_LABEL = /^[a-z0-9]([a-z0-9._=-]{0,61}[a-z0-9])?$/;

/** The rules, as the end of a sentence. */
export const POOL_RULE = "1 to 63 of a-z, 0-9 and hyphens, with no hyphen at either end";
export const SERVER_LABEL_RULE = "1 to 63 of a-z, 0-9, `.`, `_`, `=` and hyphens, with a letter or digit at either end";

export function isPool(text: string): boolean {
  return POOL.test(text);
}

export function isServerLabel(text: string): boolean {
  return SERVER_LABEL.test(text);
}

/** The pools that a team's apps may live in. @param given those that an operator has given the team */
export function usablePools(given: readonly string[]): string[] {
  return [...new Set([DEFAULT_POOL, ...given])];
}
