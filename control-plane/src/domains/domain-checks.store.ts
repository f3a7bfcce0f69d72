import { sql } from "kysely";
import type { Db } from "../platform/database/database.ts";
import { hasRoutes } from "./domains.store.ts";

/**
 * Domains of routed apps on these servers whose turn has come, the longest due first. Each is this process's until
 * `claimMs` have passed.
 */
export async function claimDueDomains(
  db: Db,
  serverIds: readonly string[],
  { limit, claimMs }: { limit: number; claimMs: number },
) {
  if (serverIds.length === 0) return [];
  const due = db
    .selectFrom("domains as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select("d.domain")
    .where("a.server_id", "in", serverIds)
    .where(hasRoutes("a"))
    .where("d.next_check_at", "<=", sql<Date>`now()`)
    .orderBy("d.next_check_at")
    .limit(limit)
    .forUpdate("d")
    .skipLocked();
  return db
    .updateTable("domains as d")
    .from("apps as a")
    .innerJoin("servers as s", "s.id", "a.server_id")
    .set({ next_check_at: sql<Date>`now() + ${claimMs} * interval '1 millisecond'` })
    .whereRef("a.id", "=", "d.app_id")
    .where("d.domain", "in", due)
    .returning([
      "d.domain",
      "d.app_id",
      "a.name as app_name",
      "a.owner_id",
      "d.leads_here",
      "d.active",
      "d.owner_proven",
      "d.owner_checked_at",
      "d.created_at",
      // Root of the server's internal authority, PEM; null until it has one.
      sql<string | null>`s.status #>> '{proxy,internalCaPem}'`.as("root_pem"),
    ])
    .execute();
}

/** The time until the next domain of these servers is to be looked at. Milliseconds, at least 0; undefined when there is none. */
export async function readNextCheckMs(db: Db, serverIds: readonly string[]): Promise<number | undefined> {
  if (serverIds.length === 0) return undefined;
  const { next_ms } = await db
    .selectFrom("domains as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(sql<number | null>`(1000 * extract(epoch from min(d.next_check_at) - now()))::float8`.as("next_ms"))
    .where("a.server_id", "in", serverIds)
    .where(hasRoutes("a"))
    .executeTakeFirstOrThrow();
  return next_ms === null ? undefined : Math.max(0, next_ms);
}

/** A domain whose turn it is, with what is needed to look at it. */
export type DueDomain = Awaited<ReturnType<typeof claimDueDomains>>[number];

export interface DomainFindings {
  leads_here?: boolean;
  active?: boolean;
  owner_proven?: boolean;
  owner_checked_at?: Date;
}

export async function storeFindings(db: Db, domain: string, findings: DomainFindings, nextInMs: number): Promise<void> {
  await db
    .updateTable("domains")
    .set({ ...findings, next_check_at: sql<Date>`now() + ${nextInMs} * interval '1 millisecond'` })
    .where("domain", "=", domain)
    .execute();
}

/** Root of the internal authority of the server where the app is, PEM; undefined when it is on none, or has none yet. */
export async function readRootOfApp(db: Db, appId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("apps as a")
    .innerJoin("servers as s", "s.id", "a.server_id")
    .select(sql<string | null>`s.status #>> '{proxy,internalCaPem}'`.as("root_pem"))
    .where("a.id", "=", appId)
    .where(hasRoutes("a"))
    .executeTakeFirst();
  return row?.root_pem || undefined;
}
