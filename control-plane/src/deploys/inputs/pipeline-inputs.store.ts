import { sql, type Kysely, type Transaction } from "kysely";
import type { Database, Row } from "../../platform/database/schema.ts";

type Db = Kysely<Database> | Transaction<Database>;

/** The facts of the app that steps need, read anew for each step. */
export interface AppFacts {
  id: string;
  ownerId: string;
  name: string;
  repoUrl: string;
  /** The user's choice; undefined lets the build find out. */
  root: string | undefined;
  framework: string | undefined;
  port: number | undefined;
  memory: string | undefined;
  cpus: string | undefined;
  needsDatabase: boolean;
  /** Major version of its PostgreSQL; undefined while it has none. */
  databaseVersion: string | undefined;
  /** Its containers, the database's too, are gone. */
  softStopped: boolean;
  tier: string;
}

export async function readAppFacts(db: Db, appId: string): Promise<AppFacts> {
  const row = await db
    .selectFrom("apps as a")
    .innerJoin("teams as t", "t.id", "a.owner_id")
    .leftJoin("users as u", "u.id", "t.user_id")
    .leftJoin("app_databases as d", (join) => join.onRef("d.app_id", "=", "a.id").on("d.url", "is not", null))
    .select([
      "a.id",
      "a.owner_id",
      "a.name",
      "a.repo_url",
      "a.root",
      "a.framework",
      "a.port",
      "a.memory",
      "a.cpus",
      "a.needs_database",
      "d.version as database_version",
      "a.status",
    ])
    .select(sql<string>`coalesce(t.tier, u.tier)`.as("tier"))
    .where("a.id", "=", appId)
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    repoUrl: row.repo_url ?? "",
    root: row.root ?? undefined,
    framework: row.framework ?? undefined,
    port: row.port ?? undefined,
    memory: row.memory ?? undefined,
    cpus: row.cpus ?? undefined,
    needsDatabase: row.needs_database,
    databaseVersion: row.database_version ?? undefined,
    softStopped: row.status === "soft_stopped",
    tier: row.tier,
  };
}

/** Is sealed; undefined until the deploy begins, and once it has ended. */
export async function readDeployInputs(db: Db, deployId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("deploys").select("inputs").where("id", "=", deployId).executeTakeFirst();
  return row?.inputs ?? undefined;
}

/** Reads the inputs of the app's running deploy; undefined while none runs. */
export async function readInputsOfRunning(
  db: Db,
  appId: string,
): Promise<{ deployId: string; inputs: Buffer } | undefined> {
  const row = await db
    .selectFrom("deploys")
    .select(["id", "inputs"])
    .where("app_id", "=", appId)
    .where("status", "=", "running")
    .where("inputs", "is not", null)
    .executeTakeFirst();
  return row?.inputs ? { deployId: row.id, inputs: row.inputs } : undefined;
}

/** The caller holds the deploy's row, and has seen that it runs and has none yet. */
export async function keepDeployInputs(tx: Db, deployId: string, inputs: Buffer): Promise<void> {
  await tx.updateTable("deploys").set({ inputs }).where("id", "=", deployId).execute();
}

type AppDatabase = Row<"app_databases", "version" | "role" | "password" | "url">;

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

export async function recordDatabase(
  trx: Transaction<Database>,
  appId: string,
  database: { url: Buffer; version: string },
): Promise<void> {
  await trx.updateTable("app_databases").set(database).where("app_id", "=", appId).execute();
}

/** The password of a database that the app turned out not to need. */
export async function forgetUnmadeDatabase(trx: Transaction<Database>, appId: string): Promise<void> {
  await trx.deleteFrom("app_databases").where("app_id", "=", appId).where("url", "is", null).execute();
}

export async function recordCommit(trx: Transaction<Database>, deployId: string, commitSha: string): Promise<void> {
  await trx.updateTable("deploys").set({ commit_sha: commitSha }).where("id", "=", deployId).execute();
}

export interface ReleaseFacts {
  id: string;
  deployId: string;
  name: string;
  imageDigest: string;
  port: number;
  /** Is sealed. */
  env: Buffer;
  runs: RunSettings;
}

/** Settings of the app, else of the commit's spec file, for how its container runs. */
export interface RunSettings {
  /** Undefined: the tier's. */
  memoryBytes: number | undefined;
  cpuMillis: number | undefined;
  /** Takes the place of the image's own command; undefined: that one. */
  command: readonly string[] | undefined;
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
    marks?: { sealed: readonly string[]; writtenAt: Readonly<Record<string, string>> };
    runs?: RunSettings | undefined;
  },
): Promise<ReleaseFacts> {
  const { memoryBytes, cpuMillis, command } = release.runs ?? {};
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
      sealed: [...(release.marks?.sealed ?? [])],
      written_at: { ...release.marks?.writtenAt },
      memory_bytes: memoryBytes === undefined ? null : String(memoryBytes),
      cpu_millis: cpuMillis ?? null,
      command: command === undefined ? null : [...command],
    })
    .onConflict((conflict) => conflict.column("deploy_id").doNothing())
    .execute();
  return (await readRelease(db, release.deployId))!;
}

/** The release that this deploy has made. */
export async function readRelease(db: Db, deployId: string): Promise<ReleaseFacts | undefined> {
  return releaseFacts(await releases(db).where("deploy_id", "=", deployId).executeTakeFirst());
}

/** The release that a rollback goes back to. */
export async function readTargetRelease(db: Db, id: string): Promise<ReleaseFacts> {
  return releaseFacts(await releases(db).where("id", "=", id).executeTakeFirstOrThrow())!;
}

const RELEASE_COLUMNS = [
  "id",
  "deploy_id",
  "name",
  "image_digest",
  "port",
  "env",
  "memory_bytes",
  "cpu_millis",
  "command",
] as const;

function releases(db: Db) {
  return db.selectFrom("releases").select(RELEASE_COLUMNS);
}

type ReleaseRow = Row<"releases", (typeof RELEASE_COLUMNS)[number]>;

function releaseFacts(row: ReleaseRow | undefined): ReleaseFacts | undefined {
  if (!row) return undefined;
  const { id, name, port, env } = row;
  const runs = {
    memoryBytes: row.memory_bytes === null ? undefined : Number(row.memory_bytes),
    cpuMillis: row.cpu_millis ?? undefined,
    command: row.command ?? undefined,
  };
  return { id, deployId: row.deploy_id, name, imageDigest: row.image_digest, port, env, runs };
}
