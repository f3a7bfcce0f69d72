import pg from "pg";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { MIGRATIONS, type Migration } from "./migrations/all.ts";

/** Any constant will do; processes that start at the same time wait for one another here. */
const MIGRATION_LOCK = "7356413620011402";

/**
 * Brings the database to the version of this code. Any number of processes may do so at once; each migration is one
 * transaction, so one that is interrupted leaves the version before it.
 * @throws SvcError when the database can't be reached, or is newer than this code
 */
export async function migrate(url: string, log: Logger, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const client = await connect(url);
  try {
    // The lock belongs to the session: it is free again when this process dies.
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await client.query(`create table if not exists schema_migrations (
      version integer primary key, name text not null, applied_at timestamptz not null default now())`);
    const current = await currentVersion(client);
    const known = migrations.at(-1)?.version ?? 0;
    if (current > known) {
      throw new SvcError(
        "internal",
        `The database is at version ${current}, and this release knows versions up to ${known}: ` +
          "a newer release has used it. Start that release, or restore a backup from before the upgrade.",
      );
    }
    for (const migration of migrations.filter(({ version }) => version > current)) {
      await apply(client, migration);
      log.info({ version: migration.version, migration: migration.name }, "database migrated");
    }
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: "svc-migrate" });
  // The query that waits for an answer fails as well.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (cause) {
    throw new SvcError(
      "internal",
      `The database can't be reached: ${(cause as Error).message}. Check DATABASE_URL and that PostgreSQL runs.`,
      { cause },
    );
  }
}

async function currentVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select coalesce(max(version), 0)::integer as version from schema_migrations",
  );
  return rows[0]?.version ?? 0;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (version, name) values ($1, $2)", [
      migration.version,
      migration.name,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
