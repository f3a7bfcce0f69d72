import type { Db } from "../../platform/database/database.ts";
import { readTeamPools } from "./teams.store.ts";

/** The pools of servers that an operator has given the team; its apps may live in the pool `default`, too. */
export async function readGivenPools(db: Db, teamId: string): Promise<string[]> {
  return readTeamPools(db, teamId);
}
