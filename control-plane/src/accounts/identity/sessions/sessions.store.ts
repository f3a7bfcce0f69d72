import { sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";
import type { Membership } from "../../../platform/operation.ts";

/** The session that has the token, unless it has ended, with its person and their teams. */
export async function readOpenSession(db: Db, token: string) {
  return db
    .selectFrom("sessions as s")
    .innerJoin("users as u", "u.id", "s.user_id")
    .select(["s.id as sessionId", "s.created_at as createdAt", "s.expires_at as expiresAt"])
    .select(["u.id as userId", "u.email", "u.name", "u.tier", "u.is_operator as isOperator"])
    .select(["u.email_verified as emailVerified", "u.two_factor_enabled as hasSecondFactor"])
    .select(
      sql<Membership[]>`(
        select coalesce(json_agg(json_build_object('teamId', m.team_id, 'role', m.role) order by m.team_id), '[]')
        from team_members m where m.user_id = u.id
      )`.as("teams"),
    )
    .where("s.token", "=", token)
    .where("s.expires_at", ">", sql<Date>`now()`)
    .where("u.deleted_at", "is", null)
    .executeTakeFirst();
}

export async function readSessions(db: Db, userId: string) {
  return db
    .selectFrom("sessions")
    .select(["id", "created_at", "expires_at", "ip_address", "user_agent"])
    .where("user_id", "=", userId)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("created_at", "desc")
    .execute();
}

export type SessionRow = Awaited<ReturnType<typeof readSessions>>[number];

/** Whether the user is signed in from that network address. */
export async function hasSessionFrom(db: Db, userId: string, address: string): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .where("ip_address", "=", address)
    .where("expires_at", ">", sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the session has not been ended, by anybody. */
export async function isOpenSession(db: Db, userId: string, id: string): Promise<boolean> {
  return (await readSessions(db, userId)).some((session) => session.id === id);
}

/** Is false when the user has no such session. */
export async function deleteSession(tx: Db, userId: string, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** @param keptId the session that goes on, if any. Returns how many were ended. */
export async function deleteSessions(tx: Db, userId: string, keptId?: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .$if(keptId !== undefined, (query) => query.where("id", "<>", keptId ?? ""))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ends the user's oldest sessions beyond so many. */
export async function deleteSessionsBeyond(tx: Db, userId: string, kept: number): Promise<void> {
  await tx
    .deleteFrom("sessions")
    .where("id", "in", (query) =>
      query
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .offset(kept),
    )
    .execute();
}
