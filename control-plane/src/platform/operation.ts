import type { Clock } from "@svc/shared/platform/clock.ts";
import type { GuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import type { Redactors } from "@svc/shared/redaction/redactors.ts";
import type { Role } from "./role.ts";
import type { Permissions } from "./scope.ts";
import type { Db } from "./database/database.ts";
import { insertAudit, insertAuditOnceAnHour, type Acting, type AuditEntry } from "./audit.store.ts";
import type { AgentLinks, DomainChecks, KeyRing, Notifications } from "../ports.ts";

/** A team that somebody is in. */
export interface Membership {
  teamId: string;
  role: Role;
}

/** Somebody who asks; `keyId` is absent in a session. */
export interface Actor extends Permissions {
  userId: string;
  keyId?: string;
  /** The owner of what the request is about, and of what it makes. */
  teamId: string;
  /** What a list shows is of these: a key has one. */
  teams: readonly Membership[];
}

/** The configuration, as far as operations need to know it. Each subject adds what it needs in `parts.ts`. */
export interface Platform {}

/**
 * Everything that an operation works with: the parts of the process, and who asks for what. Each subject adds its own parts
 * in `parts.ts`.
 */
export interface OperationContext {
  /** The pool, or the transaction that the caller wants the operation to be a part of. */
  db: Db;
  clock: Clock;
  keyRing: KeyRing;
  redactors: Redactors;
  links: AgentLinks;
  notifications: Notifications;
  /** Fetches addresses that users give. */
  outbound: GuardedFetch;
  domainChecks: DomainChecks;
  platform: Platform;
  actor: Actor;
  /** The assistant that asks for the actor: `mcp <client>`, or `chat`. */
  via?: string | undefined;
  requestId: string;
  /** Aborts when nobody waits for the answer any more; absent where nobody does from the start. */
  gone?: () => AbortSignal;
}

/** Who acts, as entries of the audit log name them. */
export function actingOf({ actor: { userId, keyId }, requestId }: OperationContext): Acting {
  return { actor: keyId === undefined ? `user:${userId}` : `key:${keyId}`, requestId };
}

type Done = Pick<AuditEntry, "action" | "target" | "detail">;

/** Notes who did what; in the transaction that does it, so that neither exists without the other. */
export async function audit(ctx: OperationContext, tx: Db, done: Done): Promise<void> {
  await insertAudit(tx, entryOf(ctx, done));
}

/** Notes who has read what, once an hour. */
export async function auditRead(ctx: OperationContext, tx: Db, done: Done): Promise<void> {
  await insertAuditOnceAnHour(tx, entryOf(ctx, done));
}

function entryOf(ctx: OperationContext, done: Done): AuditEntry {
  const { via } = ctx;
  const detail = via === undefined ? done.detail : { ...done.detail, via };
  return { ...done, ...(detail && { detail }), ...actingOf(ctx), ownerId: ctx.actor.teamId };
}
