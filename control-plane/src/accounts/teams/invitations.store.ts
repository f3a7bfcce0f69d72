import { sql, type InferResult } from "kysely";
import type { Db } from "../../platform/database/database.ts";
import type { Role } from "../../platform/role.ts";

function invitations(db: Db) {
  return db
    .selectFrom("team_invitations as i")
    .leftJoin("users as u", "u.id", "i.invited_by")
    .select([
      "i.id",
      "i.team_id as teamId",
      "i.email",
      "i.role",
      "i.expires_at as expiresAt",
      "i.created_at as createdAt",
    ])
    .select(sql<string | undefined>`u.email`.as("invitedBy"))
    .where("i.expires_at", ">", sql<Date>`now()`);
}

/** `invitedBy` is undefined when that person has no account any more. */
export type InvitationRow = InferResult<ReturnType<typeof invitations>>[number];

/** Those that can still be accepted, the oldest first. */
export async function readInvitations(db: Db, teamId: string): Promise<InvitationRow[]> {
  return invitations(db).where("i.team_id", "=", teamId).orderBy("i.id").execute();
}

/** The invitation that a link is of; undefined when it was used, taken back or replaced, or has expired. */
export async function readInvitationByToken(db: Db, tokenHash: Buffer): Promise<InvitationRow | undefined> {
  return invitations(db).where("i.token_hash", "=", tokenHash).executeTakeFirst();
}

/** Whether any team has invited the address. */
export async function hasInvitation(db: Db, email: string): Promise<boolean> {
  const found = await invitations(db)
    .where(sql<string>`lower(i.email)`, "=", email.toLowerCase())
    .executeTakeFirst();
  return found !== undefined;
}

/** One that the team had for the address before ends. */
export async function replaceInvitation(
  tx: Db,
  invitation: {
    id: string;
    teamId: string;
    email: string;
    role: Role;
    invitedBy: string;
    tokenHash: Buffer;
    expiresAt: Date;
  },
): Promise<void> {
  await tx
    .deleteFrom("team_invitations")
    .where("team_id", "=", invitation.teamId)
    .where(sql<string>`lower(email)`, "=", invitation.email.toLowerCase())
    .execute();
  await tx
    .insertInto("team_invitations")
    .values({
      id: invitation.id,
      team_id: invitation.teamId,
      email: invitation.email,
      role: invitation.role,
      invited_by: invitation.invitedBy,
      token_hash: invitation.tokenHash,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

/** Those that the person has sent end: whoever may not invite any more must not come back by one. */
export async function deleteInvitationsBy(tx: Db, teamId: string, userId: string): Promise<void> {
  await tx.deleteFrom("team_invitations").where("team_id", "=", teamId).where("invited_by", "=", userId).execute();
}

/** Whether the team had it. */
export async function deleteInvitation(tx: Db, teamId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("team_invitations")
    .where("team_id", "=", teamId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
