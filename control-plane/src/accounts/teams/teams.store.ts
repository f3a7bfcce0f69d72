import { SvcError } from "@svc/shared/errors.ts";
import { sql, type InferResult } from "kysely";
import type { Db } from "../../platform/database/database.ts";

/** A personal team has its person's tier. */
const TIER = sql<string>`coalesce(t.tier, (select u.tier from users u where u.id = t.user_id))`;

export async function readTeamTier(db: Db, teamId: string): Promise<string> {
  const row = await db
    .selectFrom("teams as t")
    .select(TIER.as("tier"))
    .where("t.id", "=", teamId)
    .executeTakeFirstOrThrow();
  return row.tier;
}

/**
 * The team's tier. The row stays locked until the transaction ends, so that counts by team hold.
 * @throws SvcError not_found when the team, or the account whose personal team it is, was deleted meanwhile
 */
export async function lockTeamTier(tx: Db, teamId: string): Promise<string> {
  await tx.selectFrom("teams").select("id").where("id", "=", teamId).forUpdate().execute();
  // A statement of its own, which sees what the lock has waited for.
  const row = await tx
    .selectFrom("teams as t")
    .leftJoin("users as u", "u.id", "t.user_id")
    .select(TIER.as("tier"))
    .where("t.id", "=", teamId)
    .where("u.deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) throw new SvcError("not_found", "You are in no team with that id.");
  return row.tier;
}

/** The maker of the key, provided that it is one of the team's; else whoever has been an owner of the team for longest. */
export async function readPersonOf(db: Db, teamId: string, keyId: string | undefined): Promise<string> {
  const row = await db
    .selectFrom("team_members as m")
    .leftJoin("api_keys as k", (join) =>
      join
        .onRef("k.user_id", "=", "m.user_id")
        .onRef("k.team_id", "=", "m.team_id")
        .on("k.id", "=", keyId ?? null),
    )
    .select("m.user_id")
    .where("m.team_id", "=", teamId)
    .where(sql<boolean>`(k.id is not null or m.role = 'owner')`)
    .orderBy(sql`k.id is null`)
    .orderBy("m.created_at")
    .orderBy("m.user_id")
    .limit(1)
    .executeTakeFirstOrThrow();
  return row.user_id;
}

function teams(db: Db) {
  return db.selectFrom("teams as t").select(["t.id", "t.name", "t.user_id", "t.created_at"]).select(TIER.as("tier"));
}

/** `user_id` is whose personal team it is. */
export type TeamRow = InferResult<ReturnType<typeof teams>>[number];

export async function readTeam(db: Db, id: string): Promise<TeamRow> {
  return teams(db).where("t.id", "=", id).executeTakeFirstOrThrow();
}

/** Is undefined for a team that is not there, and for that of a deleted account. */
export async function findTeam(db: Db, id: string): Promise<TeamRow | undefined> {
  return teams(db)
    .leftJoin("users as p", "p.id", "t.user_id")
    .where("t.id", "=", id)
    .where("p.deleted_at", "is", null)
    .executeTakeFirst();
}

/** The teams of these ids, the personal one first, then the oldest. */
export async function readTeams(db: Db, ids: readonly string[]): Promise<TeamRow[]> {
  return teams(db)
    .where("t.id", "in", ids)
    .orderBy(sql`t.user_id is null`)
    .orderBy("t.id")
    .execute();
}

export async function readSharedTeams(db: Db): Promise<TeamRow[]> {
  return teams(db).where("t.user_id", "is", null).orderBy("t.id").execute();
}

/** Locks the team's row: what its members, invitations and apps are stays until the transaction ends. */
export async function lockTeam(tx: Db, id: string): Promise<TeamRow | undefined> {
  return teams(tx).where("t.id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertTeam(tx: Db, team: { id: string; name: string; tier: string }): Promise<void> {
  await tx
    .insertInto("teams")
    .values({ ...team, user_id: null })
    .execute();
}

export async function renameTeam(tx: Db, id: string, name: string): Promise<void> {
  await tx.updateTable("teams").set({ name }).where("id", "=", id).execute();
}

/** With its members, invitations and keys. */
export async function deleteTeam(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom("teams").where("id", "=", id).execute();
}

export async function updateTeamTier(tx: Db, id: string, tier: string): Promise<void> {
  await tx.updateTable("teams").set({ tier }).where("id", "=", id).execute();
}

/** The pools of servers that an operator has given the team, by name. */
export async function readTeamPools(db: Db, teamId: string): Promise<string[]> {
  const row = await db.selectFrom("teams").select("pools").where("id", "=", teamId).executeTakeFirst();
  return row?.pools ?? [];
}

export async function updateTeamPools(tx: Db, teamId: string, pools: readonly string[]): Promise<void> {
  await tx
    .updateTable("teams")
    .set({ pools: [...pools] })
    .where("id", "=", teamId)
    .execute();
}

/** Teams that the person owns, but for the personal one. */
export async function countOwnedTeams(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom("team_members as m")
    .innerJoin("teams as t", "t.id", "m.team_id")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("m.user_id", "=", userId)
    .where("m.role", "=", "owner")
    .where("t.user_id", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}
