import { SvcError } from "@svc/shared/errors.ts";
import { isId, newId } from "@svc/shared/rules/ids.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { audit, type OperationContext } from "../../platform/operation.ts";
import type { Role } from "../../platform/role.ts";
import { checkEmail } from "../email.ts";
import { limitAttempts } from "../identity/attempts/limit-attempts.ts";
import { hashToken, linkWithToken, makeToken } from "../identity/one-time-token.ts";
import { enqueueMail } from "../mail/enqueue-mail.ts";
import { invitationMail, serviceNameOf } from "../mail/mail-text.ts";
import { readUser } from "../users.store.ts";
import { changeTeam } from "./find-team.ts";
import {
  deleteInvitation,
  readInvitationByToken,
  readInvitations,
  replaceInvitation,
  type InvitationRow,
} from "./invitations.store.ts";
import { requireFewTeams, requireShared } from "./manage-team.ts";
import { INVITATION_DAYS, MEMBERS_MAX } from "./team.ts";
import { insertMember, readMembers } from "./team-members.store.ts";
import { lockTeam, readTeam, type TeamRow } from "./teams.store.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Invites an address, whether or not somebody has an account with it, which the answer does not tell. The link is in the mail
 * alone; a further invitation of the same address ends the one before.
 * @throws SvcError invalid_request, not_found, personal_team, already_member, team_limit, rate_limited
 */
export async function invite(
  ctx: OperationContext,
  team: TeamRow,
  { email, role }: { email: string; role: Role },
): Promise<InvitationRow> {
  checkEmail(email);
  requireShared(team);
  await limitAttempts(ctx.db, "inviter", ctx.actor.userId);
  await limitAttempts(ctx.db, "invitation", email);
  const token = makeToken();
  return changeTeam(ctx, team, async (tx, locked) => {
    await requirePlace(tx, locked, email);
    const now = ctx.clock.now();
    const id = newId(now);
    const { userId } = ctx.actor;
    const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
    const [teamId, tokenHash] = [locked.id, hashToken(token)];
    await replaceInvitation(tx, { id, teamId, email, role, invitedBy: userId, tokenHash, expiresAt });
    const inviter = (await readUser(tx, userId)).email;
    const { baseUrl } = ctx.hosting;
    const link = linkWithToken(baseUrl, "invitation", token);
    const mail = { service: serviceNameOf(baseUrl), link, teamName: locked.name, inviter, expiresAt };
    await enqueueMail(ctx, tx, email, invitationMail(mail));
    await audit(ctx, tx, { action: "invitation.create", target: `team:${locked.id}`, detail: { id, email, role } });
    return { id, teamId, email, role, invitedBy: inviter, expiresAt, createdAt: now };
  });
}

async function requirePlace(tx: Db, team: TeamRow, email: string): Promise<void> {
  const members = await readMembers(tx, team.id);
  if (members.some((member) => member.email.toLowerCase() === email.toLowerCase())) {
    throw new SvcError("already_member", `${email} is in the team ${team.name} already: change the role instead.`);
  }
  const invited = (await readInvitations(tx, team.id)).filter(
    (each) => each.email.toLowerCase() !== email.toLowerCase(),
  );
  if (members.length + invited.length >= MEMBERS_MAX) {
    throw new SvcError(
      "team_limit",
      `The team ${team.name} has ${MEMBERS_MAX} members and invitations, which is the most allowed.`,
    );
  }
}

/** @throws SvcError not_found */
export async function takeBackInvitation(ctx: OperationContext, team: TeamRow, id: string): Promise<void> {
  await changeTeam(ctx, team, async (tx, locked) => {
    if (!isId(id) || !(await deleteInvitation(tx, locked.id, id))) {
      throw new SvcError("not_found", `The team ${locked.name} has no invitation with that id.`);
    }
    await audit(ctx, tx, { action: "invitation.delete", target: `team:${locked.id}`, detail: { id } });
  });
}

/**
 * Makes the caller a member, once, provided that the invitation was sent to the caller's own address.
 * @throws SvcError invitation_invalid, the same for one that was used, has expired, or is somebody else's; team_limit
 */
export async function acceptInvitation(ctx: OperationContext, token: string): Promise<TeamRow & { role: Role }> {
  const { userId } = ctx.actor;
  return inTransaction(ctx.db, async (tx) => {
    const { email } = await readUser(tx, userId);
    const joined = await joinInvitedTeam(tx, hashToken(token), { userId, email });
    if (!joined) throw invalidInvitation();
    const actor = { ...ctx.actor, teamId: joined.teamId };
    await audit({ ...ctx, actor }, tx, memberJoined(joined, userId));
    return { ...(await readTeam(tx, joined.teamId)), role: joined.role };
  });
}

/** What the audit log says of somebody who has accepted. */
export function memberJoined({ teamId, role }: Pick<InvitationRow, "teamId" | "role">, userId: string) {
  return { action: "member.join", target: `team:${teamId}`, detail: { user_id: userId, role } };
}

/** The address that a team's invitation was sent to; undefined for one that can't be used. */
export async function readInvitedAddress(db: Db, tokenHash: Buffer): Promise<string | undefined> {
  return (await readInvitationByToken(db, tokenHash))?.email;
}

/**
 * Uses an invitation of that person's address up; undefined when it can't be used, or another request has used it. Somebody
 * who is in the team already keeps the role that they have, which the result names.
 */
export async function joinInvitedTeam(
  tx: Db,
  tokenHash: Buffer,
  { userId, email }: { userId: string; email: string },
): Promise<InvitationRow | undefined> {
  const found = await readInvitationByToken(tx, tokenHash);
  if (found?.email.toLowerCase() !== email.toLowerCase()) return undefined;
  // The team first, as whoever takes invitations back does: two requests that wait for one another would both fail.
  if (!(await lockTeam(tx, found.teamId))) return undefined;
  if (!(await deleteInvitation(tx, found.teamId, found.id))) return undefined;
  const member = (await readMembers(tx, found.teamId)).find((each) => each.userId === userId);
  if (member) return { ...found, role: member.role };
  if (found.role === "owner") await requireFewTeams(tx, userId, "You own");
  await insertMember(tx, { teamId: found.teamId, userId, role: found.role });
  return found;
}

function invalidInvitation(): SvcError {
  return new SvcError(
    "invitation_invalid",
    "This invitation can't be used: it was used or taken back, it has expired, or it was sent to another address than yours. " +
      "Ask for a new one.",
  );
}
