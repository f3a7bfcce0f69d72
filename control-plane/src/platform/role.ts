/** What a person may do in a team: each role may do all that those before it may. */
export const ROLES = ["viewer", "deployer", "developer", "owner"] as const;

export type Role = (typeof ROLES)[number];

/** Whether somebody with the one role may do what needs the other. */
export function permitsRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed);
}
