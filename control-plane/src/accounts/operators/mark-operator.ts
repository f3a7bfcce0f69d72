import { byCommand, insertAudit } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { updateIsOperator, type UserRow } from "../users.store.ts";

/**
 * Makes somebody an operator, or takes that back: it holds from their next request on. Only whoever administers the machine can
 * do it (decision 031).
 */
export async function markOperator(tx: Db, userId: string, isOperator: boolean): Promise<UserRow> {
  const row = await updateIsOperator(tx, userId, isOperator);
  const action = isOperator ? "operator.grant" : "operator.revoke";
  await insertAudit(tx, { ...byCommand, action, target: `user:${userId}`, detail: { email: row.email } });
  return row;
}
