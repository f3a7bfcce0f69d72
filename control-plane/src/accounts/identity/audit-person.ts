import { insertAudit } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Visit } from "./sessions/session.ts";

/**
 * Notes what somebody did with their account, and from where; in the transaction that does it.
 * @param entry.teamId the team whose owners read it; the personal one when absent
 */
export async function auditPerson(
  tx: Db,
  visit: Visit,
  userId: string,
  entry: { action: string; target?: string; teamId?: string; detail?: Readonly<Record<string, unknown>> },
): Promise<void> {
  await insertAudit(tx, {
    actor: `user:${userId}`,
    action: entry.action,
    target: entry.target ?? `user:${userId}`,
    requestId: visit.requestId,
    ownerId: entry.teamId ?? userId,
    detail: { ...entry.detail, address: visit.address },
  });
}
