import type { Db } from "../../platform/database/database.ts";
import type { Membership } from "../../platform/operation.ts";
import { selectMemberships } from "./team-members.store.ts";

/** All teams that the person is in, with the role there. */
export function readMemberships(db: Db, userId: string): Promise<Membership[]> {
  return selectMemberships(db, userId);
}
