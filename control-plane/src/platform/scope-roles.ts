import { permitsRole, type Role } from "./role.ts";
import type { Scope } from "./scope.ts";

/** The least role that may do anything of what a scope permits; a route may ask for more. */
export const LEAST_ROLE = {
  "apps:read": "viewer",
  "apps:write": "developer",
  "deploys:read": "viewer",
  "deploys:write": "deployer",
  "env:read": "developer",
  "env:write": "developer",
  "domains:read": "viewer",
  "domains:write": "developer",
  "webhooks:read": "developer",
  "webhooks:write": "developer",
  "logs:read": "viewer",
} as const satisfies Record<Scope, Role>;

/** The scopes of these that permit somebody with the role anything. */
export function scopesOfRole(role: Role, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => permitsRole(role, LEAST_ROLE[scope]));
}
