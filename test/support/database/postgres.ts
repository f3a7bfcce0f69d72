import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { openDatabase, type Db } from "@svc/control-plane/platform/database/database.ts";
import { migrate } from "@svc/control-plane/platform/database/migrate.ts";
import { MIGRATIONS } from "@svc/control-plane/platform/database/migrations/all.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { useTestServer, type TestServer } from "./postgres-server.ts";

export interface TestDatabase {
  url: string;
  db: Db;
  query(text: string, values?: unknown[]): Promise<pg.QueryResult<Record<string, unknown>>>;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

const TEMPLATE_LOCK = "7356413620011404";

/** A migrated database of its own for a test file: a clone of a template that is migrated once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await useTestServer();
  const template = await ensureTemplate(server);
  return open(server, await create(server, `template ${template}`));
}

/** The same without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = await useTestServer();
  return open(server, await create(server, ""));
}

async function create({ client }: TestServer, clause: string): Promise<string> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await client.query(`create database ${name} ${clause}`);
  return name;
}

function open(server: TestServer, name: string): TestDatabase {
  const url = server.urlOf(name);
  const db = openDatabase({ url, log: silentLogger });
  // They are kept open: the server starts a process for each.
  const connections = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
  // A test may end a connection of which nothing is asked.
  connections.on("error", () => undefined);
  return {
    url,
    db,
    query: (text, values) => connections.query<Record<string, unknown>>(text, values),
    async drop() {
      await db.destroy();
      const closed = connections.end();
      await server.client.query(`drop database ${name} with (force)`);
      await closed;
      await server.release();
    },
  };
}

/** Named after the migrations, so that a change of them makes a new one. */
async function ensureTemplate(server: TestServer): Promise<string> {
  const name = `template_${createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex").slice(0, 16)}`;
  const { client } = server;
  await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    if (await exists(client, name)) return name;
    // It has its name only when it is complete.
    const unfinished = `${name}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished}`);
    await migrate(server.urlOf(unfinished), silentLogger);
    await client.query(`alter database ${unfinished} rename to ${name}`);
    return name;
  } finally {
    await client.query("select pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
}

async function exists(client: pg.Client, database: string): Promise<boolean> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [database]);
  return (rowCount ?? 0) > 0;
}
