import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Actor } from "../../platform/operation.ts";
import { isOperator } from "../users.store.ts";

/**
 * Refuses whoever is no operator, and their keys: one that got out must not reach the fleet (decision 031). A route may take
 * those keys that are limited to nothing (decision 037).
 * @throws SvcError not_found, as for a path that is not there
 */
export async function requireOperator(
  db: Db,
  { session, keyId, userId, scopes, apps }: Pick<Actor, "session" | "keyId" | "userId" | "scopes" | "apps">,
  { takesOperatorKeys = false }: { takesOperatorKeys?: boolean } = {},
): Promise<void> {
  if (session?.isOperator === true) return;
  const isWholeKey = keyId !== undefined && scopes === null && apps === null;
  if (!takesOperatorKeys || !isWholeKey || !(await isOperator(db, userId))) throw notForYou();
}

/** The sentence of a path that is not there. */
export function notForYou(): SvcError {
  return new SvcError("not_found", "There is nothing at this path.");
}
