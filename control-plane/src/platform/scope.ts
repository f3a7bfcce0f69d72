/** Scopes that a key may be limited to. */
export const SCOPES = [
  "apps:read",
  "apps:write",
  "deploys:read",
  "deploys:write",
  "env:read",
  "env:write",
  "domains:read",
  "domains:write",
  "webhooks:read",
  "webhooks:write",
  "logs:read",
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(value: string): value is Scope {
  return SCOPES.some((scope) => scope === value);
}

/** The permissions of a key; null means all. */
export interface Permissions {
  scopes: readonly Scope[] | null;
  /** Names of apps. */
  apps: readonly string[] | null;
}

/** @param needed "unscoped" for what no scope gives */
export function permitsScope({ scopes }: Permissions, needed: Scope | "unscoped"): boolean {
  return scopes === null || (needed !== "unscoped" && scopes.includes(needed));
}

export function permitsApp({ apps }: Permissions, name: string): boolean {
  return apps === null || apps.includes(name);
}
