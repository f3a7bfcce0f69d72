import type { Db } from "../platform/database/database.ts";
import type { OperationContext } from "../platform/operation.ts";
import { lockUserTier } from "./users.store.ts";

/** The name of the caller's tier. Whatever is counted by user stays as it is until the transaction ends. */
export async function lockTier({ actor }: OperationContext, tx: Db): Promise<string> {
  return lockUserTier(tx, actor.userId);
}
