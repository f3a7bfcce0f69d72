import type { Db } from "../platform/database/database.ts";
import type { OperationContext } from "../platform/operation.ts";
import { lockTeamTier } from "./teams/teams.store.ts";

/** The name of the team's tier. Whatever is counted by team stays as it is until the transaction ends. */
export async function lockTier({ actor }: OperationContext, tx: Db): Promise<string> {
  return lockTierOf(tx, actor.teamId);
}

/** The same for another team. */
export const lockTierOf = lockTeamTier;
