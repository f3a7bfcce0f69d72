import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { inTransaction, isForeignKeyViolation, type Db } from "../../platform/database/database.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import { DEFAULT_TIER } from "../tier.ts";
import { changeTeam } from "./find-team.ts";
import { checkTeamName, OWNED_TEAMS_MAX } from "./team.ts";
import { insertMember } from "./team-members.store.ts";
import {
  countOwnedTeams,
  deleteTeam,
  insertTeam,
  lockTeamTier,
  readTeam,
  renameTeam,
  type TeamRow,
} from "./teams.store.ts";

/**
 * Makes a team that the caller owns, of the smallest tier: the operator moves it to another.
 * @throws SvcError invalid_request, team_limit
 */
export async function createTeam(ctx: OperationContext, name: string): Promise<TeamRow> {
  checkTeamName(name);
  const { userId } = ctx.actor;
  return inTransaction(ctx.db, async (tx) => {
    // The personal team stands for its person: two requests at once make no team beyond the limit.
    await lockTeamTier(tx, userId);
    await requireFewTeams(tx, userId, "You own");
    const id = newId(ctx.clock.now());
    await insertTeam(tx, { id, name, tier: DEFAULT_TIER });
    await insertMember(tx, { teamId: id, userId, role: "owner" });
    const actor = { ...ctx.actor, teamId: id };
    await audit({ ...ctx, actor }, tx, { action: "team.create", target: `team:${id}`, detail: { name } });
    return readTeam(tx, id);
  });
}

/**
 * Refuses a further team of the person's own, by whichever way it would become theirs.
 * @param who how the sentence begins
 * @throws SvcError team_limit
 */
export async function requireFewTeams(tx: Db, userId: string, who: string): Promise<void> {
  if ((await countOwnedTeams(tx, userId)) < OWNED_TEAMS_MAX) return;
  throw new SvcError(
    "team_limit",
    `${who} ${OWNED_TEAMS_MAX} teams, which is the most allowed: delete one, or own it no more, first.`,
  );
}

/** @throws SvcError invalid_request, not_found, personal_team */
export async function changeTeamName(ctx: OperationContext, team: TeamRow, name: string): Promise<TeamRow> {
  checkTeamName(name);
  return changeTeam(ctx, team, async (tx, locked) => {
    requireShared(locked);
    await renameTeam(tx, locked.id, name);
    await audit(ctx, tx, { action: "team.rename", target: `team:${locked.id}`, detail: { name } });
    return { ...locked, name };
  });
}

/** Removes a team that owns nothing any more, with its keys and invitations. @throws SvcError not_found, personal_team, team_in_use */
export async function removeTeam(ctx: OperationContext, team: TeamRow): Promise<void> {
  await changeTeam(ctx, team, async (tx, locked) => {
    requireShared(locked);
    await audit(ctx, tx, { action: "team.delete", target: `team:${locked.id}`, detail: { name: locked.name } });
    await deleteTeam(tx, locked.id);
  }).catch((error: unknown) => {
    if (!isForeignKeyViolation(error, "apps_owner_id_fkey")) throw error;
    throw new SvcError("team_in_use", `The team ${team.name} has apps, soft-stopped ones included: purge them first.`);
  });
}

/** @throws SvcError personal_team */
export function requireShared(team: TeamRow): void {
  if (team.user_id === null) return;
  throw new SvcError(
    "personal_team",
    "This is a personal team: it has one member, and stays as long as that person's account. Make a team for several people.",
  );
}
