import type { Db } from "./database.ts";

export interface AuditEntry {
  /** user:<id>, key:<id>, operator, system */
  actor: string;
  /** What was done, as <thing>.<verb>: app.create. */
  action: string;
  /** What it was done to, as <thing>:<id>. */
  target: string;
  requestId: string | null;
  /** Never a secret. */
  detail?: Readonly<Record<string, unknown>>;
}

export async function insertAudit(tx: Db, entry: AuditEntry): Promise<void> {
  await tx
    .insertInto("audit_log")
    .values({
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      request_id: entry.requestId,
      detail: JSON.stringify(entry.detail ?? {}),
    })
    .execute();
}
