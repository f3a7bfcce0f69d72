import type { Db } from "../platform/database/database.ts";

/** Whether anything of the app can be on its server: every deploy that a worker took may have left something. */
export async function hasStartedDeploy(db: Db, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom("deploys")
    .select("id")
    .where("app_id", "=", appId)
    .where("started_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a deploy of any app runs on the server, or a rollback or a move of this one. */
export async function isDeployInTheWay(db: Db, serverId: string, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom("deploys")
    .select("id")
    .where("status", "=", "running")
    .where((eb) =>
      eb.or([eb.and([eb("server_id", "=", serverId), eb("kind", "=", "deploy")]), eb("app_id", "=", appId)]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Names of the apps that live there, soft-stopped ones too: their databases do. */
export async function appsOnServer(db: Db, serverId: string): Promise<string[]> {
  const rows = await db.selectFrom("apps").select("name").where("server_id", "=", serverId).orderBy("name").execute();
  return rows.map((row) => row.name);
}

/** Names of the apps that live there; the rows stay locked until the transaction ends. */
export async function lockAppsOnServer(tx: Db, serverId: string): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom("apps")
    .select("name")
    .where("server_id", "=", serverId)
    .orderBy("id")
    .forUpdate()
    .execute();
  return new Set(rows.map((row) => row.name));
}
