import { SvcError } from "@svc/shared/errors.ts";
import { hashApiKey, isApiKey } from "./keys/api-key.ts";
import { isScope, permitsScope, type Scope } from "../platform/scope.ts";
import { permitsRole, type Role } from "../platform/role.ts";
import { touchApiKey, type KeyOwner } from "./keys/api-keys.store.ts";
import type { Db } from "../platform/database/database.ts";
import type { Actor } from "../platform/operation.ts";

export interface Caller extends Actor {
  emailVerified: boolean;
  tier: string;
  /** Infinity when the key does not. */
  expiresInMs: number;
}

/**
 * Finds the sender of the header `Authorization: Bearer <API key>`.
 * @param readOwner by the key's hash
 * @throws SvcError unauthorized, which never tells why
 */
export async function authenticate(
  db: Db,
  readOwner: (hash: Buffer) => Promise<KeyOwner | undefined>,
  authorization: string | undefined,
): Promise<Caller> {
  const key = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  const owner = key !== undefined && isApiKey(key) ? await readOwner(hashApiKey(key)) : undefined;
  if (!owner) throw new SvcError("unauthorized", "Send Authorization: Bearer with a valid API key.");
  if (owner.lastUseIsOld) await touchApiKey(db, owner.keyId);
  return {
    userId: owner.userId,
    keyId: owner.keyId,
    teamId: owner.teamId,
    teams: [{ teamId: owner.teamId, role: owner.role }],
    scopes: owner.scopes?.filter(isScope) ?? null,
    apps: owner.apps,
    emailVerified: owner.emailVerified,
    tier: owner.tier,
    expiresInMs: owner.expiresInMs,
  };
}

/** @throws SvcError insufficient_scope */
export function requireScope(caller: Caller, needed: Scope | "unscoped"): void {
  if (permitsScope(caller, needed)) return;
  const sentence =
    needed === "unscoped"
      ? "A key with scopes can't do this: use one without."
      : `This API key lacks the scope ${needed}. Use a key that has it.`;
  throw new SvcError("insufficient_scope", sentence);
}

/**
 * The key's scopes say what it may do at most; the role of its maker, or of whoever is signed in, says what that person may.
 * @throws SvcError insufficient_role
 */
export function requireRole(caller: Pick<Caller, "teamId" | "teams">, needed: Role): void {
  const role = caller.teams.find(({ teamId }) => teamId === caller.teamId)?.role;
  if (role !== undefined && permitsRole(role, needed)) return;
  throw new SvcError(
    "insufficient_role",
    role === undefined
      ? "You are not in this team."
      : `You are ${role} in this team, and this needs ${needed}. An owner of the team can change that.`,
  );
}

/** @throws SvcError email_not_verified */
export function requireVerifiedEmail(caller: Caller): void {
  if (caller.emailVerified) return;
  throw new SvcError("email_not_verified", "Verify your e-mail address first: until then nothing can be changed.");
}
