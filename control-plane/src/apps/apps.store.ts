import { type RawBuilder, sql } from "kysely";
import { APP_COLUMNS, FIRST_STATUS, type AppRow } from "./app.ts";
import type { Db } from "../platform/database/database.ts";
import { preparedQuery } from "../platform/database/prepared-query.ts";

/** Rejects with a unique violation of `apps_name` when the name is taken. */
export async function insertApp(
  tx: Db,
  app: {
    id: string;
    ownerId: string;
    name: string;
    repoUrl: string | null;
    root: string | null;
    template: string | null;
    framework: string | null;
    port: number | null;
    needsDatabase: boolean;
    /** The server that it lives on from the start; null for one that is chosen at its first deploy. */
    serverId: string | null;
    pool: string | null;
    label: string | null;
  },
): Promise<void> {
  await tx
    .insertInto("apps")
    .values({
      id: app.id,
      owner_id: app.ownerId,
      name: app.name,
      status: FIRST_STATUS,
      repo_url: app.repoUrl,
      root: app.root,
      template: app.template,
      framework: app.framework,
      port: app.port,
      needs_database: app.needsDatabase,
      server_id: app.serverId,
      pool: app.pool,
      label: app.label,
    })
    .execute();
}

/** Each request about an app asks for it. */
const selectNamedApp = preparedQuery(
  "named_app",
  (value: (of: "ownerIds" | "name") => RawBuilder<never>) => sql<AppRow>`
    select id::uuid, owner_id::uuid, name::text, status::text, repo_url::text, server_id::uuid, current_release_id::uuid
    from apps where name = ${value("name")} and owner_id = any(${value("ownerIds")}::uuid[])
  `,
);

/** The app of that name, provided that it is one of these owners'. */
export async function readApp(db: Db, ownerIds: readonly string[], name: string): Promise<AppRow | undefined> {
  return (await selectNamedApp(db, { ownerIds, name }))[0];
}

/** Whichever team's. */
export async function readAppOfAnybody(db: Db, name: string): Promise<AppRow | undefined> {
  return db.selectFrom("apps").select(APP_COLUMNS).where("name", "=", name).executeTakeFirst();
}

export async function readAppById(db: Db, id: string): Promise<AppRow> {
  return db.selectFrom("apps").select(APP_COLUMNS).where("id", "=", id).executeTakeFirstOrThrow();
}

/** Finds the app that has the name; only to say why it is taken. */
export async function readNameHolder(db: Db, name: string): Promise<Pick<AppRow, "owner_id" | "status"> | undefined> {
  return db.selectFrom("apps").select(["owner_id", "status"]).where("name", "=", name).executeTakeFirst();
}

/**
 * The row stays locked until the transaction ends, though not against rows that refer to it: those may be written by
 * whoever holds a deploy's row, and both would wait for each other.
 */
export async function lockApp(tx: Db, ownerId: string, id: string): Promise<AppRow | undefined> {
  return tx
    .selectFrom("apps")
    .select(APP_COLUMNS)
    .where("owner_id", "=", ownerId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function countApps(db: Db, ownerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("apps")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Writes what the owner changes; it takes effect on the next deploy. */
export async function updateApp(
  tx: Db,
  appId: string,
  patch: {
    repoUrl?: string | undefined;
    /** Null for the repository's top. */
    root?: string | null | undefined;
    framework?: string | null | undefined;
    port?: number | null | undefined;
    memory?: string | null | undefined;
    cpus?: string | null | undefined;
    deployOnPush?: boolean | undefined;
  },
): Promise<void> {
  await tx
    .updateTable("apps")
    .set({
      ...(patch.repoUrl === undefined ? {} : { repo_url: patch.repoUrl }),
      ...(patch.root === undefined ? {} : { root: patch.root }),
      ...(patch.framework === undefined ? {} : { framework: patch.framework }),
      ...(patch.port === undefined ? {} : { port: patch.port }),
      ...(patch.memory === undefined ? {} : { memory: patch.memory }),
      ...(patch.cpus === undefined ? {} : { cpus: patch.cpus }),
      ...(patch.deployOnPush === undefined ? {} : { deploy_on_push: patch.deployOnPush }),
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", appId)
    .execute();
}

/** Notes that something of the app was changed which is not in its row. */
export async function touchApp(tx: Db, appId: string): Promise<void> {
  await updateApp(tx, appId, {});
}

/** @param repoUrl undefined leaves it as it is */
export async function writeOwner(tx: Db, appId: string, ownerId: string, repoUrl: string | undefined): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ owner_id: ownerId, ...(repoUrl === undefined ? {} : { repo_url: repoUrl }), updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .execute();
}

/** Locks the app's row against everything. Whether the app is soft-stopped, on that server if one is given. */
export async function lockSoftStopped(tx: Db, appId: string, serverId?: string): Promise<boolean> {
  const row = await tx
    .selectFrom("apps")
    .select("id")
    .where("id", "=", appId)
    .where("status", "=", "soft_stopped")
    .$if(serverId !== undefined, (query) => query.where("server_id", "=", serverId!))
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** With everything that belongs to it and to no other; the name is free. */
export async function deleteAppRow(tx: Db, appId: string): Promise<void> {
  await tx.deleteFrom("apps").where("id", "=", appId).execute();
}

/** Gives apps that are on no server to this one. */
export async function writePlace(tx: Db, appIds: readonly string[], serverId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ server_id: serverId })
    .where("id", "in", appIds)
    .where("server_id", "is", null)
    .execute();
}

export async function writeMove(tx: Db, appId: string, serverId: string): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ server_id: serverId, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .execute();
}

/** Writes what the build has found out. */
export async function writeBuildFacts(
  tx: Db,
  appId: string,
  facts: { detected_framework: string; detected_port: number } | { database_name: string; needs_database: true },
): Promise<void> {
  await tx
    .updateTable("apps")
    .set({ ...facts, updated_at: sql<Date>`now()` })
    .where("id", "=", appId)
    .execute();
}
