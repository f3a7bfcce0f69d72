import { sql } from "kysely";
import type { Candidate } from "./placement.ts";
import type { Db } from "../../platform/database/database.ts";

/** The servers that take new apps. */
export async function readCandidates(db: Db): Promise<Candidate[]> {
  return db
    .selectFrom("servers as s")
    .select(["s.id", "s.name", isLinked.as("linked")])
    .select((eb) =>
      eb
        .selectFrom("apps as a")
        .select(sql<number>`count(*)::integer`.as("count"))
        .whereRef("a.server_id", "=", "s.id")
        .as("appCount"),
    )
    .where("s.state", "=", "active")
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, appCount: row.appCount ?? 0 })));
}

/** Whether some control plane says that it holds the link. */
const isLinked = sql<boolean>`coalesce(s.link_until > now(), false)`;

/** Whether the server has a pending or running deploy; rollbacks run beside those. */
export async function isBusy(db: Db, serverId: string): Promise<boolean> {
  const open = await db
    .selectFrom("deploys")
    .select("id")
    .where("server_id", "=", serverId)
    .where("kind", "=", "deploy")
    .where("status", "in", ["pending", "running"])
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/** Deploys that wait are for no server from now on. */
export async function unplaceDeploys(tx: Db, serverId: string): Promise<void> {
  await tx
    .updateTable("deploys")
    .set({ server_id: null })
    .where("server_id", "=", serverId)
    .where("status", "=", "pending")
    .execute();
}

/** Apps with a deploy that waits for no server in particular, by id; their rows stay locked until the transaction ends. */
export async function lockUnplacedApps(tx: Db): Promise<string[]> {
  const apps = await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "in", (eb) =>
      eb.selectFrom("deploys").select("app_id").where("server_id", "is", null).where("status", "=", "pending"),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  return apps.map(({ id }) => id);
}

/** Whether the server takes new apps, and then until the transaction ends. */
export async function lockActiveServer(tx: Db, id: string): Promise<boolean> {
  const server = await tx
    .selectFrom("servers")
    .select("state")
    .where("id", "=", id)
    .where("state", "=", "active")
    .forUpdate()
    .executeTakeFirst();
  return server !== undefined;
}

/** Gives the deploys of these apps that wait for no server in particular to this one. Returns the apps that had any. */
export async function placeDeploys(tx: Db, appIds: readonly string[], serverId: string): Promise<string[]> {
  const rows = await tx
    .updateTable("deploys")
    .set({ server_id: serverId })
    .where("server_id", "is", null)
    .where("status", "=", "pending")
    .where("app_id", "in", appIds)
    .returning("app_id")
    .execute();
  return rows.map((row) => row.app_id);
}
