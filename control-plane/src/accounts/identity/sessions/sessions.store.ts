import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/database/database.ts";
import { preparedQuery } from "../../../platform/database/prepared-query.ts";
import type { Membership } from "../../../platform/operation.ts";

/** Somebody who is signed in. */
export interface Session {
  sessionId: string;
  userId: string;
  email: string;
  emailVerified: boolean;
  name: string;
  tier: string;
  hasSecondFactor: boolean;
  isOperator: boolean;
  /** The personal team is one of them. */
  teams: Membership[];
  createdAt: Date;
  expiresAt: Date;
}

/** The session that has the token, unless it has ended, with its person and their teams. Each request of a page asks for it. */
const selectOpenSession = preparedQuery(
  "open_session",
  (value: (of: "token") => RawBuilder<never>) => sql<Session>`
    select s.id::uuid as "sessionId", s.created_at::timestamptz as "createdAt", s.expires_at::timestamptz as "expiresAt",
      u.id::uuid as "userId", u.email::text, u.name::text, u.tier::text, u.email_verified::boolean as "emailVerified",
      u.two_factor_enabled::boolean as "hasSecondFactor", u.is_operator::boolean as "isOperator",
      (select coalesce(json_agg(json_build_object('teamId', m.team_id, 'role', m.role) order by m.team_id), '[]')
        from team_members m where m.user_id = u.id) as teams
    from sessions s join users u on u.id = s.user_id
    where s.token = ${value("token")} and s.expires_at > now() and u.deleted_at is null
  `,
);

export async function readOpenSession(db: Db, token: string): Promise<Session | undefined> {
  return (await selectOpenSession(db, { token }))[0];
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
