import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { databaseContainer, DATABASE_DIRECTORY } from "@svc/agent/database/container.ts";
import { createHost } from "@svc/agent/host/host.ts";
import { keepLastDump } from "@svc/agent/database/last-dump.ts";
import type { AppRef } from "@svc/agent/ports.ts";
import { provisionDb } from "@svc/agent/steps/provision-db.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { ProvisionDbSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { silentLogger as log } from "@svc/shared/platform/logger.ts";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { createTestEngine, newApp } from "../../support/engine/docker.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

const PASSWORD = "correct-horse-battery-staple";
const testEngine = createTestEngine();
const { engine, docker } = testEngine;
const directory = mkdtempSync(join(tmpdir(), "svc-dumps-"));
afterAll(async () => {
  await testEngine.cleanUp();
  rmSync(directory, { recursive: true, force: true });
});

const context = { engine, host: createHost(), directory, clock: systemClock, log };

async function provision(app: AppRef): Promise<void> {
  const spec = { version: "16", databaseName: "shop", role: "shop", password: PASSWORD };
  const step = createTestStep({ app, deployId: newId(), engine });
  await provisionDb.run(step.ctx, create(ProvisionDbSpecSchema, spec));
}

async function query(app: AppRef, text: string): Promise<unknown[]> {
  const [database] = await engine.list({ appId: app.id, role: "database" });
  const client = new pg.Client({ host: database!.address, database: "shop", user: "shop", password: PASSWORD });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("a last dump", { timeout: 150_000 }, () => {
  const app = newApp();

  test("of an app without a database is none", async () => {
    expect(await keepLastDump(context, newApp())).toBeUndefined();
  });

  test("is private, named after the app, and can be restored, also when only the volume was left", async () => {
    await provision(app);
    await query(app, "CREATE TABLE kept (note text)");
    await query(app, "INSERT INTO kept VALUES ('still here')");
    const [database] = await engine.list({ appId: app.id, role: "database" });
    await engine.stop(database!.id, 30);
    await engine.remove(database!.id);

    const file = (await keepLastDump(context, app))!;
    expect(basename(file)).toMatch(new RegExp(`^shop-${app.id}-\\d{8}T\\d{6}Z\\.(dump|tar)$`));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await engine.volumes(app)).toEqual(["database"]);
    if (file.endsWith(".dump")) return;

    const other = newApp("restored");
    // Nothing that PostgreSQL has begun may be in the volume.
    const loader = await engine.run({ ...databaseContainer(other, "16"), command: ["sleep", "infinity"] });
    await docker.getContainer(loader.id).putArchive(createReadStream(file), { path: dirname(DATABASE_DIRECTORY) });
    await engine.remove(loader.id);
    await engine.run(databaseContainer(other, "16"));
    const rows = () => query(other, "SELECT note FROM kept").catch(String);
    await eventually(rows, (found) => Array.isArray(found), {
      what: "the restored database answers",
      deadlineMs: 30_000,
    });
    expect(await rows()).toEqual([{ note: "still here" }]);
  });

  test("that can't be written fails with a sentence, and leaves the data and no draft", async () => {
    const file = join(directory, "file");
    writeFileSync(file, "");
    const unwritable = { ...context, directory: join(file, "dumps") };
    await expect(keepLastDump(unwritable, app)).rejects.toMatchObject({ code: "database_dump_failed" });
    expect(await engine.volumes(app)).toEqual(["database"]);
  });
});
