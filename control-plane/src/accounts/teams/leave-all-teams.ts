import { SvcError } from "@svc/shared/errors.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInvitationsBy } from "./invitations.store.ts";
import { leavesNoOwner } from "./team.ts";
import { deleteMember, readMembers, selectMemberships } from "./team-members.store.ts";
import { lockTeam } from "./teams.store.ts";

/**
 * Takes the person out of all teams but the personal one; the invitations that they have sent end, as in `removeMember`.
 * @returns ids of the teams
 * @throws SvcError last_owner, naming the team that would have no owner
 */
export async function leaveAllTeams(tx: Db, userId: string): Promise<string[]> {
  const ids = (await selectMemberships(tx, userId)).map(({ teamId }) => teamId).filter((id) => id !== userId);
  for (const id of ids) {
    const team = await lockTeam(tx, id);
    if (team && leavesNoOwner(await readMembers(tx, id), userId, undefined)) {
      throw new SvcError(
        "last_owner",
        `You are the only owner of the team ${team.name}: make somebody else an owner, or delete the team, first.`,
      );
    }
    await deleteMember(tx, id, userId);
    await deleteInvitationsBy(tx, id, userId);
  }
  return ids;
}
