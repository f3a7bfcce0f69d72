import type { Db } from "../../platform/database/database.ts";
import { revokeAllKeysOf, revokeOwnApiKey, type ApiKeyRow } from "./api-keys.store.ts";

/** Refuses a key of the person's from now on; undefined when it is not theirs. */
export function endOwnKey(tx: Db, userId: string, id: string): Promise<ApiKeyRow | undefined> {
  return revokeOwnApiKey(tx, userId, id);
}

/** Ends all keys of the person, in whichever team. Returns how many. */
export function endKeysOf(tx: Db, userId: string): Promise<number> {
  return revokeAllKeysOf(tx, userId);
}
