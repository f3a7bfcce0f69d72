import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDummyHost } from "../dummy/host.ts";
import { createDummyEngine, type DummyEngine } from "../dummy/engine.ts";
import type { AppRef } from "../ports.ts";
import { databaseContainer } from "./container.ts";
import { keepLastDump } from "./last-dump.ts";

let directory: string;
let engine: DummyEngine;
let app: AppRef;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-dumps-"));
  engine = createDummyEngine();
  app = { id: newId(), name: "shop" };
  await engine.run(databaseContainer(app, "16"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Sets what the container's commands answer. */
function has(answers: { databases: string; dumper: string; dump: string }): void {
  engine.knobs.exec = (argv) => {
    if (argv[0] === "psql") return { exitCode: 0, output: answers.databases };
    if (argv[1] === "--version") return { exitCode: 0, output: answers.dumper };
    return { exitCode: 0, output: answers.dump };
  };
}

const host = createDummyHost();
const keep = () => keepLastDump({ engine, host, directory: join(directory, "dumps"), clock: systemClock, log }, app);
const right = { databases: "shop\n", dumper: "pg_dump (PostgreSQL) 16.4", dump: "PGDMP and more" };

test("the last dump is pg_dump's where the database has the right one, also after the database was stopped", async () => {
  has(right);
  const [database] = await engine.list({ appId: app.id });
  await engine.stop(database!.id, 1);
  const file = (await keep())!;
  expect(file).toMatch(/\.dump$/);
  expect(readFileSync(file, "utf8")).toBe("PGDMP and more");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "dumps")).mode & 0o777).toBe(0o700);
});

test.each([
  ["pg_dump is of another major version", { ...right, dumper: "pg_dump (PostgreSQL) 15.20" }],
  ["the dump is none", { ...right, dump: "oops" }],
  ["there are several databases", { ...right, databases: "shop\nother\n" }],
  ["the database's name could be more than a name", { ...right, databases: "host=evil\n" }],
])("the last dump is the stopped database's files when %s", async (_case, answers) => {
  has(answers);
  const file = (await keep())!;
  expect(file).toMatch(/\.tar$/);
  expect((await engine.list({ appId: app.id }))[0]!.state).toBe("exited");
  expect(readdirSync(join(directory, "dumps"))).toHaveLength(1);
});

test("the last dump is tried again later when the engine is down", async () => {
  engine.knobs.down = true;
  await expect(keep()).rejects.toMatchObject({ code: "engine_unavailable" });
});

test("the last dump is refused on a disk that is nearly full, and leaves nothing", async () => {
  const { diskAvailableBytes } = host.knobs;
  has(right);
  host.knobs.diskAvailableBytes = 1024 ** 3;
  await expect(keep()).rejects.toMatchObject({ code: "database_dump_failed", cause: { code: "disk_full" } });
  host.knobs.diskAvailableBytes = diskAvailableBytes;
  await keep();
  expect(readdirSync(join(directory, "dumps"))).toHaveLength(1);
});
