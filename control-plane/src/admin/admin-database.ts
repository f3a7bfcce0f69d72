import { join } from "node:path";
import { sql } from "kysely";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { openDatabase, type Db } from "../platform/database/database.ts";
import { isEmbeddedClaimed } from "../platform/database/embedded/claim.ts";
import { migrate } from "../platform/database/migrate.ts";

export interface AdminDatabase {
  db: Db;
  close(): Promise<void>;
}

/**
 * The database that the environment names, migrated. The embedded one is started for the command where no control
 * plane runs it, and stopped afterwards unless one has begun to use it meanwhile.
 */
export async function openAdminDatabase(
  config: { databaseUrl: string | undefined; dataDirectory: string },
  log: Logger,
): Promise<AdminDatabase> {
  const server = config.databaseUrl === undefined ? await startEmbedded(config.dataDirectory, log) : undefined;
  const url = config.databaseUrl ?? server!.url;
  /** A control plane that has claimed the server may not have connected to it yet. */
  const isUnclaimed = async (): Promise<boolean> => !(await isEmbeddedClaimed(config.dataDirectory));
  try {
    await migrate(url, log);
  } catch (error) {
    if (server && !server.adopted) await server.stopWhen(isUnclaimed);
    throw error;
  }
  const db = openDatabase({ url, log, poolSize: 2 });
  return {
    db,
    async close() {
      if (server && !server.adopted) {
        await server.stopWhen(async () => (await isUnclaimed()) && (await countOthers(db)) === 0);
      }
      await db.destroy();
    },
  };
}

async function startEmbedded(dataDirectory: string, log: Logger) {
  const { startEmbeddedPostgres } = await import("../platform/database/embedded/embedded.ts");
  return startEmbeddedPostgres({ directory: join(dataDirectory, "postgres"), log });
}

async function countOthers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()
  `.execute(db);
  return rows[0]?.count ?? 0;
}
