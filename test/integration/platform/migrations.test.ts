import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "@svc/control-plane/platform/database/migrate.ts";
import { MIGRATIONS } from "@svc/control-plane/platform/database/migrations/all.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { createEmptyDatabase, type TestDatabase } from "../../support/database/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database?.drop());

const versions = async () =>
  (await database.query("select version from schema_migrations order by version")).rows.map((row) => row["version"]);

test("twenty processes that start at once migrate once", async () => {
  await Promise.all(Array.from({ length: 20 }, () => migrate(database.url, silentLogger)));
  expect(await versions()).toEqual(MIGRATIONS.map(({ version }) => version));
});

test("a migration that fails leaves the version before it", async () => {
  const next = {
    version: MIGRATIONS.at(-1)!.version + 1,
    name: "broken",
    sql: "create table half (id integer); select 1 / 0;",
  };
  await expect(migrate(database.url, silentLogger, [...MIGRATIONS, next])).rejects.toThrow("division by zero");
  expect(await versions()).toHaveLength(MIGRATIONS.length);
  expect((await database.query("select to_regclass('half') as half")).rows).toEqual([{ half: null }]);
});

test("a database that goes away meanwhile fails the migration and nothing else", async () => {
  const slow = { version: MIGRATIONS.at(-1)!.version + 1, name: "slow", sql: "select pg_sleep(60)" };
  const end =
    "select pg_terminate_backend(pid) from pg_stat_activity where query = $1 and datname = current_database()";
  await Promise.all([
    expect(migrate(database.url, silentLogger, [...MIGRATIONS, slow])).rejects.toThrow(/terminat/),
    eventually(
      async () => (await database.query(end, [slow.sql])).rows.length,
      (ended) => ended === 1,
      { what: "its connection is ended" },
    ),
  ]);
  expect(await versions()).toHaveLength(MIGRATIONS.length);
});

test("a database newer than the code is refused with a sentence", async () => {
  await database.query("insert into schema_migrations (version, name) values (999, 'future')");
  await expect(migrate(database.url, silentLogger)).rejects.toThrow(
    /^The database is at version 999, and this release knows versions up to \d+: .* Start that release, or restore/,
  );
});

test("a database that can't be reached is named as the reason", async () => {
  await expect(migrate("postgres://svc:secret@127.0.0.1:1/none", silentLogger)).rejects.toThrow(
    /^The database can't be reached: (?!.*secret).*DATABASE_URL/,
  );
});

test("a terminal state of a deploy never changes, and a server runs one at a time", async () => {
  const [user, app, other, server] = Array.from({ length: 4 }, () => crypto.randomUUID());
  await database.query("insert into users (id, email, tier) values ($1, 'a@b.test', 'free')", [user]);
  await database.query("insert into servers (id, name, state) values ($1, 's', 'active')", [server]);
  for (const id of [app, other]) {
    await database.query("insert into apps (id, owner_id, name, status) values ($1, $2, $3, 'deploying')", [
      id,
      user,
      id,
    ]);
  }
  const insert = (id: string, appId: string, status: string) =>
    database.query(
      "insert into deploys (id, app_id, user_id, server_id, status, release) values ($1, $2, $3, $4, $5, $6)",
      [id, appId, user, server, status, `release-${id}`],
    );
  const first = crypto.randomUUID();
  await insert(first, app!, "running");
  await expect(insert(crypto.randomUUID(), other!, "running")).rejects.toThrow("deploys_one_running_per_server");
  await expect(insert(crypto.randomUUID(), app!, "pending")).rejects.toThrow("deploys_one_open_per_app");
  await database.query("update deploys set status = 'canceled', finished_at = now() where id = $1", [first]);
  await expect(database.query("update deploys set status = 'failed' where id = $1", [first])).rejects.toThrow(
    "cannot follow",
  );
});
