import { sql, type Kysely, type Transaction } from "kysely";
import type { Database } from "./schema.ts";

type Db = Kysely<Database> | Transaction<Database>;

/** What the steps need to know of the app, read anew for each step. */
export interface AppFacts {
  id: string;
  ownerId: string;
  name: string;
  repoUrl: string;
  /** What the user gave; undefined lets the build find out. */
  framework: string | undefined;
  port: number | undefined;
  needsDatabase: boolean;
  /** Its containers, the database's too, are gone. */
  softStopped: boolean;
  tier: string;
}

export async function readAppFacts(db: Db, appId: string): Promise<AppFacts> {
  const row = await db
    .selectFrom("apps as a")
    .innerJoin("users as u", "u.id", "a.owner_id")
    .select([
      "a.id",
      "a.owner_id",
      "a.name",
      "a.repo_url",
      "a.framework",
      "a.port",
      "a.needs_database",
      "a.status",
      "u.tier",
    ])
    .where("a.id", "=", appId)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    repoUrl: row.repo_url ?? "",
    framework: row.framework ?? undefined,
    port: row.port ?? undefined,
    needsDatabase: row.needs_database,
    softStopped: row.status === "soft_stopped",
    tier: row.tier,
  };
}

export async function readSealedEnv(db: Db, appId: string): Promise<{ key: string; value: Buffer }[]> {
  return db.selectFrom("env_vars").select(["key", "value"]).where("app_id", "=", appId).orderBy("key").execute();
}

export interface AppDatabase {
  version: string;
  role: string;
  password: Buffer;
  url: Buffer | null;
}

export async function readAppDatabase(db: Db, appId: string): Promise<AppDatabase | undefined> {
  return db
    .selectFrom("app_databases")
    .select(["version", "role", "password", "url"])
    .where("app_id", "=", appId)
    .executeTakeFirst();
}

/** Keeps the first password that was ever made: what a running container knows must stay true. */
export async function ensureAppDatabase(db: Db, appId: string, fresh: Omit<AppDatabase, "url">): Promise<AppDatabase> {
  await db
    .insertInto("app_databases")
    .values({ app_id: appId, ...fresh, url: null })
    .onConflict((conflict) => conflict.column("app_id").doNothing())
    .execute();
  return (await readAppDatabase(db, appId))!;
}

export async function recordDatabaseUrl(
  trx: Transaction<Database>,
  appId: string,
  url: Buffer,
  name: string,
): Promise<void> {
  await trx.updateTable("app_databases").set({ url }).where("app_id", "=", appId).execute();
  await trx.updateTable("apps").set({ database_name: name }).where("id", "=", appId).execute();
}

export async function recordBuild(
  trx: Transaction<Database>,
  ids: { appId: string; deployId: string },
  build: { commitSha: string; framework: string; port: number },
): Promise<void> {
  await trx.updateTable("deploys").set({ commit_sha: build.commitSha }).where("id", "=", ids.deployId).execute();
  await trx
    .updateTable("apps")
    .set({ detected_framework: build.framework, detected_port: build.port, updated_at: sql<Date>`now()` })
    .where("id", "=", ids.appId)
    .execute();
}

export interface ReleaseFacts {
  id: string;
  deployId: string;
  name: string;
  imageDigest: string;
  port: number;
  /** Sealed. */
  env: Buffer;
}

/** The release of the deploy, made when its container is about to start; a repeated call returns the first. */
export async function ensureRelease(
  db: Db,
  release: {
    id: string;
    appId: string;
    deployId: string;
    name: string;
    imageDigest: string;
    commitSha: string;
    framework: string;
    port: number;
    env: Buffer;
  },
): Promise<ReleaseFacts> {
  await db
    .insertInto("releases")
    .values({
      id: release.id,
      app_id: release.appId,
      deploy_id: release.deployId,
      name: release.name,
      image_digest: release.imageDigest,
      commit_sha: release.commitSha,
      framework: release.framework,
      port: release.port,
      env: release.env,
    })
    .onConflict((conflict) => conflict.column("deploy_id").doNothing())
    .execute();
  return (await readRelease(db, release.deployId))!;
}

/** The release that this deploy has made. */
export async function readRelease(db: Db, deployId: string): Promise<ReleaseFacts | undefined> {
  return releases(db).where("deploy_id", "=", deployId).executeTakeFirst();
}

/** The release that a rollback goes back to. */
export async function readTargetRelease(db: Db, id: string): Promise<ReleaseFacts> {
  return releases(db).where("id", "=", id).executeTakeFirstOrThrow();
}

function releases(db: Db) {
  return db
    .selectFrom("releases")
    .select(["id", "deploy_id as deployId", "name", "image_digest as imageDigest", "port", "env"]);
}

/** What the live release was started with; undefined while none is live. */
export async function readLiveReleaseEnv(db: Db, appId: string): Promise<ReleaseFacts | undefined> {
  return releases(db)
    .where("id", "=", (eb) => eb.selectFrom("apps").select("current_release_id").where("id", "=", appId))
    .executeTakeFirst();
}
