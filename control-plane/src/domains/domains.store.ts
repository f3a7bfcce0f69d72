import { sql } from "kysely";
import type { AppRow } from "../apps/app.ts";
import type { Db } from "../platform/database/database.ts";

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

/** An app that has a domain. */
export interface DomainHolder {
  appId: string;
  appName: string;
  ownerId: string;
}

/** The app that has the domain, whoever owns it: domains are unique on the platform. */
export async function findDomainHolder(db: Db, domain: string): Promise<DomainHolder | undefined> {
  return db
    .selectFrom("domains as d")
    .innerJoin("apps as a", "a.id", "d.app_id")
    .select(["a.id as appId", "a.name as appName", "a.owner_id as ownerId"])
    .where("d.domain", "=", domain)
    .executeTakeFirst();
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
  ownerId: string;
  serverId: string;
  /** False when no release is live, so that its hosts lead to a page that says so. */
  isDeployed: boolean;
  isStopped: boolean;
  /**
   * The release that serves, by name; undefined while the app is neither running nor stopped: a deploy or a removal may
   * change it.
   */
  release: string | undefined;
}

/** The app as far as its routes are concerned; undefined while it has none. */
export async function readRoutedApp(db: Db, appId: string): Promise<RoutedApp | undefined> {
  const row = await routedApps(db).where("id", "=", appId).executeTakeFirst();
  return row && toRoutedApp(row);
}

/** The same, for a transaction whose end the app's deletion waits for. */
export async function lockRoutedApp(tx: Db, appId: string): Promise<RoutedApp | undefined> {
  const row = await routedApps(tx).where("id", "=", appId).forShare().executeTakeFirst();
  return row && toRoutedApp(row);
}

function routedApps(db: Db) {
  return db
    .selectFrom("apps")
    .select(["id", "name", "owner_id", "server_id", "status", "current_release_id"])
    .select((eb) =>
      eb.selectFrom("releases as r").select("r.name").whereRef("r.id", "=", "apps.current_release_id").as("release"),
    )
    .where("server_id", "is not", null)
    .where(hasRoutes("apps"));
}

/**
 * Whether an app has routes: what failed at its first deploy has them too.
 * @param apps what the query calls the table
 */
export function hasRoutes(apps: "apps" | "a") {
  return sql<boolean>`(${sql.ref(`${apps}.current_release_id`)} is not null or ${sql.ref(`${apps}.status`)} = 'failed')`;
}

type RoutedRow = Pick<AppRow, "id" | "name" | "owner_id" | "server_id" | "status" | "current_release_id"> & {
  release: string | null;
};

function toRoutedApp(row: RoutedRow): RoutedApp {
  const { id, name, owner_id: ownerId, server_id: serverId, status, current_release_id: releaseId } = row;
  const isSettled = status === "running" || status === "stopped";
  return {
    id,
    name,
    ownerId,
    serverId: serverId!,
    isDeployed: releaseId !== null,
    isStopped: status === "stopped",
    release: isSettled ? (row.release ?? undefined) : undefined,
  };
}

/** The apps of a server that have routes, by id. */
export async function listRoutedAppIds(db: Db, serverId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("apps")
    .select("id")
    .where("server_id", "=", serverId)
    .where(hasRoutes("apps"))
    .execute();
  return rows.map((row) => row.id);
}
