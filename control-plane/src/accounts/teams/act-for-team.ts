import type { Db } from "../../platform/database/database.ts";
import type { Actor } from "../../platform/operation.ts";
import { readPersonOf } from "./teams.store.ts";

/**
 * The platform, which does for a team what somebody of it has asked for: the maker of the key, or, where nobody knows whose
 * push it was, whoever has been an owner for longest.
 */
export async function actForTeam(db: Db, teamId: string, keyId?: string): Promise<Actor> {
  const userId = await readPersonOf(db, teamId, keyId);
  const key = keyId === undefined ? {} : { keyId };
  return { userId, ...key, teamId, teams: [{ teamId, role: "owner" }], scopes: null, apps: null };
}
