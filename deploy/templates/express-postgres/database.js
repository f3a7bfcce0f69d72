import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

export const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

// A connection that breaks while nobody uses it is replaced by the next query.
pool.on("error", (error) => console.error(error.message));

/** Any number, as long as nothing else in this database uses it. */
const MIGRATION_LOCK = 4711;

/** Runs the files of migrations/ that have not run yet, in the order of their names, each in a transaction. */
export async function migrate() {
  const client = await pool.connect();
  try {
    // During a deploy the old and the new container may start at the same time.
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await client.query(
      "create table if not exists migrations (name text primary key, run_at timestamptz default now())",
    );
    const { rows } = await client.query("select name from migrations");
    const done = new Set(rows.map(({ name }) => name));
    const folder = join(import.meta.dirname, "migrations");
    const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
    for (const name of names.filter((name) => !done.has(name))) await run(client, name, join(folder, name));
  } finally {
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    client.release();
  }
}

async function run(client, name, file) {
  await client.query("begin");
  try {
    await client.query(await readFile(file, "utf8"));
    await client.query("insert into migrations (name) values ($1)", [name]);
    await client.query("commit");
    console.log(`migrated: ${name}`);
  } catch (error) {
    await client.query("rollback");
    throw new Error(`migration ${name} failed: ${error.message}`);
  }
}
