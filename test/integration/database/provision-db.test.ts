import { SvcError } from "@svc/shared/errors.ts";
import { create } from "@bufbuild/protobuf";
import { newId } from "@svc/shared/rules/ids.ts";
import { ProvisionDbSpecSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppRef, Engine } from "@svc/agent/ports.ts";
import { connectAsRole } from "@svc/agent/database/connect-as-role.ts";
import { databaseContainer } from "@svc/agent/database/container.ts";
import { provisionDb } from "@svc/agent/steps/provision-db.ts";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { createTestEngine, newApp } from "../../support/engine/docker.ts";
import { createTestStep } from "../../support/agent/step-context.ts";

const PASSWORD = "correct-horse-battery-staple'\"\\$`";
const testEngine = createTestEngine();
const { engine, docker } = testEngine;
afterAll(() => testEngine.cleanUp());

function spec(version = "16") {
  return create(ProvisionDbSpecSchema, { version, databaseName: "shop", role: "shop", password: PASSWORD });
}

function provision(app: AppRef, version?: string, through: Engine = engine) {
  const step = createTestStep({ app, deployId: newId(), engine: through });
  return { ...step, result: provisionDb.run(step.ctx, spec(version)) };
}

async function addressOf(app: AppRef): Promise<string> {
  const [database] = await engine.list({ appId: app.id, role: "database" });
  return database!.address;
}

async function query(app: AppRef, text: string): Promise<unknown[]> {
  const login = { host: await addressOf(app), database: "shop", user: "shop", password: PASSWORD };
  const client = new pg.Client(login);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("an app's database", { timeout: 150_000 }, () => {
  const app = newApp();

  test("is ready for the app's role when the step ends, under a URL that says how to reach it", async () => {
    const { result, lines } = provision(app);
    expect(await result).toEqual({
      case: "provisionDb",
      value: {
        databaseUrl: `postgres://shop:${encodeURIComponent(PASSWORD)}@database:5432/shop`,
        databaseName: "shop",
        version: "16",
        services: [],
      },
    });
    expect(lines.join("\n")).not.toContain(PASSWORD);
    await query(app, "CREATE TABLE kept (note text)");
    await query(app, "INSERT INTO kept VALUES ('still here')");
  });

  test("keeps its data, container and address when it is provisioned again", async () => {
    const before = await engine.list({ appId: app.id });
    await provision(app).result;
    expect(await engine.list({ appId: app.id })).toEqual(before);
    expect(await query(app, "SELECT note FROM kept")).toEqual([{ note: "still here" }]);
  });

  test("gives its owner no right over the server or over other databases", async () => {
    const rights = await query(app, "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = 'shop'");
    expect(rights).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
  });

  test("refuses a wrong password", async () => {
    const login = { host: await addressOf(app), port: 5432, databaseName: "shop", role: "shop" };
    await expect(connectAsRole({ ...login, password: "something-else-entirely" })).rejects.toThrow(/authentication/);
  });

  test("is reached by the app under the name database", async () => {
    const container = await engine.run({
      ...databaseContainer(app, "16"),
      role: "app",
      deployId: newId(),
      image: "node:22-slim",
      command: ["node", "-e", "require('dns').lookup('database', (e, a) => console.log(e ?? a))"],
      volumes: {},
      aliases: [],
    });
    for await (const batch of engine.logs(container.id, { lines: 10, follow: true })) {
      expect(batch.map(({ text }) => text)).toEqual([await addressOf(app)]);
    }
  });

  test("leaves neither password nor verifier in its log, and comes back after a reboot", async () => {
    const [database] = await engine.list({ appId: app.id, role: "database" });
    const log: string[] = [];
    for await (const batch of engine.logs(database!.id, { lines: 500, follow: false })) {
      log.push(...batch.map(({ text }) => text));
    }
    expect(log.length).toBeGreaterThan(0);
    expect(log.join("\n")).not.toContain(PASSWORD);
    expect(log.join("\n")).not.toContain("SCRAM-SHA-256$");
    const { HostConfig: host } = await docker.getContainer(database!.id).inspect();
    expect(host.RestartPolicy?.Name).toBe("unless-stopped");
    expect(host.PortBindings ?? {}).toEqual({});
  });

  test("of another version is refused with its data untouched", async () => {
    await expect(provision(app, "17").result).rejects.toThrow(/PostgreSQL 16, and 17 was asked for/);
    expect(await query(app, "SELECT note FROM kept")).toEqual([{ note: "still here" }]);
  });

  test("outlives its container", async () => {
    const [database] = await engine.list({ appId: app.id, role: "database" });
    await engine.remove(database!.id);
    await provision(app).result;
    expect(await query(app, "SELECT note FROM kept")).toEqual([{ note: "still here" }]);
  });

  test("that was stopped is started", async () => {
    const [database] = await engine.list({ appId: app.id, role: "database" });
    await engine.stop(database!.id, 10);
    await provision(app).result;
    expect(await query(app, "SELECT note FROM kept")).toEqual([{ note: "still here" }]);
  });

  test("is not undone with a deploy that fails", async () => {
    const { ctx } = createTestStep({ app, deployId: newId(), engine });
    await provisionDb.undo(ctx);
    expect(await query(app, "SELECT note FROM kept")).toEqual([{ note: "still here" }]);
  });

  test("that another version wrote is refused also when only its volume is left, and is in nobody's way then", async () => {
    const [database] = await engine.list({ appId: app.id, role: "database" });
    await engine.exec(database!.id, ["sh", "-c", "cat > $PGDATA/PG_VERSION"], "15\n");
    await engine.remove(database!.id);
    await expect(provision(app).result).rejects.toThrow(/PostgreSQL 15, and 16 was asked for/);
    expect(await engine.list({ appId: app.id, role: "database" })).toEqual([]);
  });
});

test("a provisioning that was cut off at any point is finished by the next one", { timeout: 150_000 }, async () => {
  const app = newApp("cut-off");
  const interrupted = new Error("the agent died");
  const die = (): Promise<never> => Promise.reject(interrupted);
  const deaths: Partial<Engine>[] = [
    { ensureNetwork: (ref) => engine.ensureNetwork(ref).then(die) },
    { run: (container) => engine.run(container).then(die) },
    { keepRunning: die },
  ];
  for (const death of deaths) {
    await expect(provision(app, "16", { ...engine, ...death }).result).rejects.toBe(interrupted);
  }
  await provision(app).result;
  expect(await engine.list({ appId: app.id })).toHaveLength(1);
  expect(await query(app, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("a canceled provisioning ends with the reason", async () => {
  const controller = new AbortController();
  const app = newApp();
  const step = createTestStep({ app, deployId: newId(), engine, signal: controller.signal });
  const result = provisionDb.run(step.ctx, spec());
  controller.abort(new SvcError("canceled", "canceled by the user"));
  await expect(result).rejects.toThrow("canceled by the user");
});

test("a version that is not offered is refused by name", async () => {
  await expect(provision(newApp(), "11").result).rejects.toThrow(/PostgreSQL "11" is not offered/);
});
