import { sql } from "kysely";
import type { Db } from "../platform/database/database.ts";

/** A team by its names and numbers: nothing of what it runs (decision 031). */
export interface TeamOverviewRow {
  id: string;
  name: string;
  /** Whether it is somebody's personal one. */
  personal: boolean;
  tier: string;
  /** Pools of servers that an operator has given it. */
  pools: string[];
  createdAt: Date;
  /** The address of whoever has been an owner for longest. */
  owner: string | null;
  members: number;
  /** Soft-stopped ones included. */
  apps: number;
}

export interface TeamPage {
  /** A part of the team's name or of its owner's address. */
  find?: string | undefined;
  /** The id of the last team of the page before. */
  after?: string | undefined;
  limit: number;
}

/** All teams, personal ones included, oldest first; those of deleted accounts are left out. */
export async function readTeamOverviews(db: Db, { find, after, limit }: TeamPage): Promise<TeamOverviewRow[]> {
  const words = find?.toLowerCase() ?? "";
  const { rows } = await sql<TeamOverviewRow>`
    select t.id, t.name, t.user_id is not null as personal, coalesce(t.tier, p.tier) as tier, t.pools, t.created_at as "createdAt",
      o.email as owner,
      (select count(*)::integer from team_members m where m.team_id = t.id) as members,
      (select count(*)::integer from apps a where a.owner_id = t.id) as apps
    from teams t
    left join users p on p.id = t.user_id
    left join lateral (
      select u.email from team_members m join users u on u.id = m.user_id
      where m.team_id = t.id and m.role = 'owner' order by m.created_at, m.user_id limit 1
    ) o on true
    where p.deleted_at is null
      and (${after ?? null}::uuid is null or t.id > ${after ?? null}::uuid)
      and (${words} = '' or strpos(lower(t.name), ${words}) > 0 or strpos(lower(coalesce(o.email, '')), ${words}) > 0)
    order by t.id
    limit ${limit}
  `.execute(db);
  return rows;
}
