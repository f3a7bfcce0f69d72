import { create } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDatabases, exportDatabases, importDatabases } from "@svc/agent/database/carry.ts";
import type { AppRef } from "@svc/agent/ports.ts";
import { provisionDb } from "@svc/agent/steps/provision-db.ts";
import { systemClock as clock } from "@svc/shared/platform/clock.ts";
import { ProvisionDbSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { createTestEngine, newApp } from "../../support/engine/docker.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

const PASSWORD = "correct-horse-battery-staple";
const { engine, cleanUp } = createTestEngine();
const ctx = { engine, clock };
/** The databases of two apps, in the place of those that one app has on two hosts. */
const [here, there] = [newApp(), newApp()];
afterAll(cleanUp);

beforeAll(async () => {
  for (const app of [here, there]) await provision(app);
}, 150_000);

/** Starts the PostgreSQL that is there, or makes one. */
async function provision(app: AppRef): Promise<void> {
  const spec = { version: "16", databaseName: "shop", role: "shop", password: PASSWORD };
  const step = createTestStep({ app, deployId: newId(), engine });
  await provisionDb.run(step.ctx, create(ProvisionDbSpecSchema, spec));
}

async function query(app: AppRef, text: string, user = "shop"): Promise<unknown[]> {
  const [database] = await engine.list({ appId: app.id, role: "database" });
  if (user === "postgres") {
    const argv = ["psql", "--no-psqlrc", "--host=/var/run/postgresql", "--username=postgres", "--set=ON_ERROR_STOP=1"];
    expect(await engine.exec(database!.id, argv, text)).toMatchObject({ exitCode: 0 });
    return [];
  }
  const client = new pg.Client({ host: database!.address, database: "shop", user, password: PASSWORD });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function carry(): Promise<void> {
  await importDatabases(ctx, there, { version: "16", archive: exportDatabases(ctx, here) });
  await provision(there);
}

test("what an app's databases hold is the same on the other host: rows, sequences, settings and logins", async () => {
  await query(
    here,
    `CREATE SCHEMA "odd name";
     CREATE TABLE "odd name"."Orders" (id serial PRIMARY KEY, note text UNIQUE DEFAULT gen_random_uuid());
     INSERT INTO "odd name"."Orders" SELECT FROM generate_series(1, 5000);
     CREATE TABLE empty (id int); CREATE SEQUENCE unused;
     CREATE VIEW recent AS SELECT * FROM "odd name"."Orders" WHERE id > 4990;
     ALTER ROLE shop SET search_path TO "odd name", public;`,
  );
  await query(here, `CREATE DATABASE "host=odd's" OWNER shop;`, "postgres");
  const before = await describeDatabases(ctx, here);
  expect(before.lines).toEqual([
    "database host=odd's",
    "database shop",
    'shop sequence "odd name"."Orders_id_seq": 5000',
    "shop sequence public.unused: 1 is next",
    'shop table "odd name"."Orders": 5000',
    "shop table public.empty: 0",
  ]);

  await carry();
  expect(await describeDatabases(ctx, there, before.collation)).toEqual(before);
  expect(await query(there, `SELECT count(*)::int FROM recent`)).toEqual([{ count: 10 }]);
  expect(await query(there, `INSERT INTO "Orders" DEFAULT VALUES RETURNING id`)).toEqual([{ id: 5001 }]);
});

test("files that are carried again replace what was there", async () => {
  await provision(here);
  await query(here, `DELETE FROM "Orders" WHERE id > 100`);
  await carry();
  expect(await query(there, `SELECT count(*)::int FROM "Orders"`)).toEqual([{ count: 100 }]);
});

test("a stream that breaks leaves nothing that could be taken for a database, and the next one succeeds", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    let left = 50;
    for await (const chunk of exportDatabases(ctx, here)) {
      if (left-- === 0) throw new Error("the link broke");
      yield chunk;
    }
  }
  await expect(importDatabases(ctx, there, { version: "16", archive: broken() })).rejects.toThrow("the link broke");
  expect([await engine.list({ appId: there.id }), await engine.volumes(there)]).toEqual([[], []]);
  await carry();
  expect(await query(there, `SELECT count(*)::int FROM "Orders"`)).toEqual([{ count: 100 }]);
});

test("indexes are built anew on a host that orders texts by other rules", async () => {
  const fileOf = `SELECT pg_relation_filenode('"Orders_note_key"')::int AS file`;
  const [before] = await query(there, fileOf);
  await describeDatabases(ctx, there);
  expect(await query(there, fileOf)).toEqual([before]);
  const { lines } = await describeDatabases(ctx, there, "c 0.1");
  expect(await query(there, fileOf)).not.toEqual([before]);
  expect(lines).toContain('shop table "odd name"."Orders": 100');
});

test("functions and operators of the app's own with the names of PostgreSQL's are not called as its superuser", async () => {
  await provision(here);
  await query(
    here,
    `CREATE FUNCTION public.format(text, text, name, name) RETURNS text LANGUAGE plpgsql AS $$
       BEGIN EXECUTE 'ALTER ROLE shop SUPERUSER'; RETURN 'SELECT 1'; END $$;
     CREATE FUNCTION public.differs(name, text) RETURNS boolean LANGUAGE plpgsql AS $$
       BEGIN EXECUTE 'ALTER ROLE shop SUPERUSER'; RETURN true; END $$;
     CREATE OPERATOR public.!~~ (LEFTARG = name, RIGHTARG = text, FUNCTION = public.differs);
     ALTER DATABASE shop SET search_path TO public, pg_catalog;`,
  );
  const { lines } = await describeDatabases(ctx, here, "c 0.1");
  expect(lines).toContain('shop table "odd name"."Orders": 100');
  expect(await query(here, "SELECT rolsuper FROM pg_roles WHERE rolname = 'shop'")).toEqual([{ rolsuper: false }]);
});
