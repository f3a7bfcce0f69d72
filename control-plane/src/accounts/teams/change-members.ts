import { SvcError } from "@svc/shared/errors.ts";
import { revokeKeysOf } from "../keys/api-keys.store.ts";
import type { Db } from "../../platform/database/database.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import type { Role } from "../../platform/role.ts";
import { changeTeam } from "./find-team.ts";
import { deleteInvitationsBy } from "./invitations.store.ts";
import { requireFewTeams, requireShared } from "./manage-team.ts";
import { leavesNoOwner } from "./team.ts";
import { deleteMember, readMembers, updateRole, type MemberRow } from "./team-members.store.ts";
import type { TeamRow } from "./teams.store.ts";

/**
 * Gives a member another role, which holds from their next request on, with keys as well.
 * @throws SvcError not_found, personal_team, last_owner, team_limit
 */
export async function changeRole(ctx: OperationContext, team: TeamRow, userId: string, role: Role): Promise<MemberRow> {
  return changeTeam(ctx, team, async (tx, locked) => {
    const member = await requireMember(tx, locked, userId, role);
    if (role === "owner" && member.role !== "owner") await requireFewTeams(tx, userId, `${member.email} owns`);
    await updateRole(tx, locked.id, userId, role);
    if (role !== "owner") await deleteInvitationsBy(tx, locked.id, userId);
    const detail = { user_id: userId, role, former: member.role };
    await audit(ctx, tx, { action: "member.role", target: `team:${locked.id}`, detail });
    return { ...member, role };
  });
}

/**
 * Takes somebody out of the team; the keys that they have made there end, and the invitations that they have sent.
 * @throws SvcError not_found, personal_team, last_owner
 */
export async function removeMember(ctx: OperationContext, team: TeamRow, userId: string): Promise<void> {
  await changeTeam(ctx, team, async (tx, locked) => {
    await requireMember(tx, locked, userId, undefined);
    const keys = await revokeKeysOf(tx, locked.id, userId);
    await deleteMember(tx, locked.id, userId);
    await deleteInvitationsBy(tx, locked.id, userId);
    const action = userId === ctx.actor.userId ? "member.leave" : "member.remove";
    const detail = { user_id: userId, revoked_keys: keys };
    await audit(ctx, tx, { action, target: `team:${locked.id}`, detail });
  });
}

/** @param becomes the role that the member is to have; undefined when they go */
async function requireMember(tx: Db, team: TeamRow, userId: string, becomes: Role | undefined): Promise<MemberRow> {
  requireShared(team);
  const members = await readMembers(tx, team.id);
  const member = members.find((each) => each.userId === userId);
  if (!member) throw new SvcError("not_found", `The team ${team.name} has no member with that id.`);
  if (leavesNoOwner(members, userId, becomes)) {
    throw new SvcError(
      "last_owner",
      `${member.email} is the only owner of the team ${team.name}: make somebody else an owner first.`,
    );
  }
  return member;
}
