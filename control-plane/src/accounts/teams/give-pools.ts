import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { isPool, POOL_RULE } from "@svc/shared/rules/servers/server-pool.ts";
import { insertAudit, type Acting } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { notify } from "../../platform/database/notify.ts";
import { invalid, quoted } from "../../platform/invalid.ts";
import { lockTeam, readTeamPools, updateTeamPools, type TeamRow } from "./teams.store.ts";

/** More pools than an operator tells apart. */
const POOLS_MAX = 20;

/**
 * Gives the team these pools of servers beside `default`, and no others (decision 037). Apps that live elsewhere stay there.
 * The team's owners read that an operator did it, other operators read who. Idempotent.
 * @throws SvcError invalid_request, not_found
 */
export async function givePools(
  tx: Db,
  by: Acting,
  { teamId, pools: given }: { teamId: string; pools: readonly string[] },
): Promise<TeamRow & { pools: string[] }> {
  const pools = [...new Set(given)].toSorted();
  if (pools.length > POOLS_MAX) throw invalid(`These are ${pools.length} pools; a team has at most ${POOLS_MAX}.`);
  const wrong = pools.find((pool) => !isPool(pool));
  if (wrong !== undefined) throw invalid(`${quoted(wrong)} names no pool: use ${POOL_RULE}.`);
  const team = isId(teamId) ? await lockTeam(tx, teamId) : undefined;
  if (!team) throw new SvcError("not_found", `There is no team with the id ${quoted(teamId)}.`);
  if ((await readTeamPools(tx, teamId)).join() === pools.join()) return { ...team, pools };
  await updateTeamPools(tx, teamId, pools);
  const done = { action: "team.pools", target: `team:${teamId}` };
  await insertAudit(tx, { ...by, ...done, detail: { team: team.name, pools } });
  await insertAudit(tx, { actor: "operator", requestId: by.requestId, ...done, ownerId: teamId, detail: { pools } });
  // Deploys may wait for a pool that the team has from now on.
  await notify(tx, "deploy_queue", "");
  return { ...team, pools };
}
