import { SvcError } from "@svc/shared/errors.ts";
import { isId } from "@svc/shared/rules/ids.ts";
import { insertAudit, type Acting } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";
import { quoted } from "../platform/invalid.ts";
import { lockTeam, updateTeamTier, type TeamRow } from "./teams/teams.store.ts";
import { checkTier, type Tiers } from "./tier.ts";
import { updateTier } from "./users.store.ts";

/**
 * Moves a team to another tier; with a personal team its person. The team's owners read that an operator did it, other operators
 * read who.
 * @throws SvcError invalid_request for a tier that there is not, not_found
 */
export async function changeTier(
  tx: Db,
  by: Acting,
  tiers: Tiers,
  { teamId, tier }: { teamId: string; tier: string },
): Promise<TeamRow> {
  checkTier(tiers, tier);
  const team = isId(teamId) ? await lockTeam(tx, teamId) : undefined;
  if (!team) throw new SvcError("not_found", `There is no team with the id ${quoted(teamId)}.`);
  const { user_id: userId } = team;
  if (userId === null) await updateTeamTier(tx, teamId, tier);
  else await updateTier(tx, userId, tier);
  const done =
    userId === null
      ? { action: "team.tier", target: `team:${teamId}` }
      : { action: "user.tier", target: `user:${userId}` };
  await insertAudit(tx, { ...by, ...done, detail: { team: team.name, tier } });
  await insertAudit(tx, { actor: "operator", requestId: by.requestId, ...done, ownerId: teamId, detail: { tier } });
  return { ...team, tier };
}
