import { sql } from "kysely";
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

/** The team's tier. The row stays locked until the transaction ends, so that counts by team hold. */
export async function lockTeamTier(tx: Db, teamId: string): Promise<string> {
  const row = await tx
    .selectFrom("teams as t")
    .select(TIER.as("tier"))
    .where("t.id", "=", teamId)
    .forUpdate()
    .executeTakeFirstOrThrow();
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
