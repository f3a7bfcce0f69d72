import type { Db } from "../../platform/database/database.ts";
import type { Membership } from "../../platform/operation.ts";
import type { Role } from "../../platform/role.ts";

/** Who has been there for longest comes first. */
export async function readMembers(db: Db, teamId: string) {
  return db
    .selectFrom("team_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["m.user_id as userId", "u.email", "m.role", "m.created_at as createdAt"])
    .where("m.team_id", "=", teamId)
    .orderBy("m.created_at")
    .orderBy("m.user_id")
    .execute();
}

export type MemberRow = Awaited<ReturnType<typeof readMembers>>[number];

export async function selectMemberships(db: Db, userId: string): Promise<Membership[]> {
  return db
    .selectFrom("team_members")
    .select(["team_id as teamId", "role"])
    .where("user_id", "=", userId)
    .orderBy("team_id")
    .execute();
}

export async function insertMember(tx: Db, member: { teamId: string; userId: string; role: Role }): Promise<void> {
  await tx
    .insertInto("team_members")
    .values({ team_id: member.teamId, user_id: member.userId, role: member.role })
    .execute();
}

export async function updateRole(tx: Db, teamId: string, userId: string, role: Role): Promise<void> {
  await tx
    .updateTable("team_members")
    .set({ role })
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .execute();
}

export async function deleteMember(tx: Db, teamId: string, userId: string): Promise<void> {
  await tx.deleteFrom("team_members").where("team_id", "=", teamId).where("user_id", "=", userId).execute();
}
