import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOpenSession } from "@svc/control-plane/accounts/identity/sessions/sessions.store.ts";
import { readAppJson, readAppsJson } from "@svc/control-plane/apps/app-json.ts";
import { openDatabase, type Db } from "@svc/control-plane/platform/database/database.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/postgres.ts";

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, log: silentLogger, poolSize: 1 });
});
afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

const list = (ownerId = newId()) =>
  readAppsJson(db, [ownerId], { urlSuffix: ".apps.localhost", only: null, limit: null, after: null });

async function prepared(): Promise<unknown> {
  const { rows } = await sql<{ name: string; plans: number }>`
    select name, (generic_plans + custom_plans)::int as plans from pg_prepared_statements
  `.execute(db);
  return rows;
}

test("the list of apps is parsed once per connection, and nothing else is kept there", async () => {
  for (let i = 0; i < 8; i++) expect(await list()).toEqual({ json: "[]", next: undefined });
  await sql`select 1`.execute(db);
  expect(await prepared()).toEqual([{ name: "apps_page_of_one", plans: 8 }]);
});

test("it goes on while a newer version's migration changes its tables", async () => {
  await list();
  await database.query("alter table apps add column later text, alter column repo_url type varchar(3000)");
  expect(await list()).toEqual({ json: "[]", next: undefined });
});

test("so do those of one app and of a session", async () => {
  const readBoth = () =>
    Promise.allSettled([
      readAppJson(db, newId(), { id: newId(), name: "shop" }, ".apps.localhost"),
      readOpenSession(db, "of nobody"),
    ]);
  const answers = await readBoth();
  expect(answers).toMatchObject([{ reason: { code: "not_found" } }, { value: undefined }]);
  await database.query("alter table apps alter column root type varchar(3000)");
  await database.query("alter table users alter column name type varchar(3000)");
  await database.query("alter table sessions alter column created_at type timestamptz(3)");
  expect(await readBoth()).toEqual(answers);
});

test("it is prepared anew on a connection that takes the place of a broken one", async () => {
  await list();
  await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await expect.poll(() => list().catch(() => undefined)).toEqual({ json: "[]", next: undefined });
});
