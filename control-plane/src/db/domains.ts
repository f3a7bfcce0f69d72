import type { Db } from "./database.ts";

/** The owner is checked by whoever found the app. */
export async function listDomainsOf(db: Db, appId: string): Promise<string[]> {
  const rows = await db.selectFrom("domains").select("domain").where("app_id", "=", appId).orderBy("domain").execute();
  return rows.map((row) => row.domain);
}

/** The app's domains, and of each whether its address leads to the app's server. */
export async function listDomainRoutes(db: Db, appId: string): Promise<{ domain: string; leads_here: boolean }[]> {
  return db
    .selectFrom("domains")
    .select(["domain", "leads_here"])
    .where("app_id", "=", appId)
    .orderBy("domain")
    .execute();
}

export async function hasDomain(db: Db, appId: string, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom("domains")
    .select("domain")
    .where("app_id", "=", appId)
    .where("domain", "=", domain)
    .executeTakeFirst();
  return row !== undefined;
}

/** The app that has the domain, whoever owns it: domains are unique on the platform. */
export async function findAppIdOfDomain(db: Db, domain: string): Promise<string | undefined> {
  const row = await db.selectFrom("domains").select("app_id").where("domain", "=", domain).executeTakeFirst();
  return row?.app_id;
}

/** @returns false when the domain is in use */
export async function insertDomain(db: Db, appId: string, domain: string): Promise<boolean> {
  const row = await db
    .insertInto("domains")
    .values({ app_id: appId, domain })
    .onConflict((conflict) => conflict.column("domain").doNothing())
    .returning("domain")
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether there was one */
export async function deleteDomain(db: Db, appId: string, domain: string): Promise<boolean> {
  const row = await db
    .deleteFrom("domains")
    .where("app_id", "=", appId)
    .where("domain", "=", domain)
    .returning("domain")
    .executeTakeFirst();
  return row !== undefined;
}

export interface RoutedApp {
  id: string;
  name: string;
  serverId: string;
}

/** The app as far as its routes are concerned; undefined while nothing of it is on a server. */
export async function readRoutedApp(db: Db, appId: string): Promise<RoutedApp | undefined> {
  const row = await db
    .selectFrom("apps")
    .select(["id", "name", "server_id"])
    .where("id", "=", appId)
    .where("server_id", "is not", null)
    .where("current_release_id", "is not", null)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, serverId: row.server_id! };
}

/** The apps of a server that have a release, by id. */
export async function listRoutedAppIds(db: Db, serverId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("apps")
    .select("id")
    .where("server_id", "=", serverId)
    .where("current_release_id", "is not", null)
    .execute();
  return rows.map((row) => row.id);
}
