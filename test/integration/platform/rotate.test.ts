import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countValuesByKey, SEALED_COLUMNS } from "@svc/control-plane/platform/database/sealed-values.ts";
import { sealContext, type KeyRing } from "@svc/control-plane/ports.ts";
import { createKeyRing, keyId } from "@svc/control-plane/secrets/keyring.ts";
import { readMasterKeys } from "@svc/control-plane/secrets/master-key-file.ts";
import { openKeyRing } from "@svc/control-plane/secrets/open-key-ring.ts";
import { rotateSecrets } from "@svc/control-plane/secrets/rotate-secrets.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { ADMIN } from "../../support/platform/bundles.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { addApp, addDeploy } from "../../support/api/pipeline.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/postgres.ts";

let database: TestDatabase;
let directory: string;
let file: string;
/** The key ring of a control plane that runs all the while. */
let keyRing: KeyRing;

beforeEach(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), "svc-rotate-"));
  file = join(directory, "master.key");
  keyRing = await openKeyRing(database.db, file);
});
afterEach(async () => {
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const rotate = (options: { dropOld?: boolean } = {}) =>
  rotateSecrets({ db: database.db, file, clock: systemClock, dropOld: options.dropOld ?? false });
const keyIds = (): string[] => readMasterKeys(file)!.map(keyId);

async function addEnv(values: number): Promise<string> {
  const { id } = await addApp(database.db, { serverId: null });
  const rows = Array.from({ length: values }, (_, index) => {
    const key = `KEY_${index}`;
    return { app_id: id, key, value: keyRing.seal(`value ${index}`, sealContext.env(id, key)) };
  });
  await database.db.insertInto("env_vars").values(rows).execute();
  return id;
}

async function openEnv(appId: string): Promise<string[]> {
  const rows = await database.db.selectFrom("env_vars").selectAll().where("app_id", "=", appId).execute();
  return rows.map(({ key, value }) => keyRing.open(value, sealContext.env(appId, key)));
}

/** Says that the newest key was made some time ago. */
async function age(): Promise<void> {
  const then = new Date(Date.now() - 6 * 60_000);
  await utimes(file, then, then);
}

/** One sealed value in each of the places. */
async function addEverySecret(): Promise<void> {
  const { db } = database;
  const app = await addApp(db, { serverId: null });
  const deployId = await addDeploy(db, app, null);
  const [webhookId, seal] = [newId(), keyRing.seal];
  await db
    .insertInto("env_vars")
    .values({ app_id: app.id, key: "A", value: seal("s", sealContext.env(app.id, "A")) })
    .execute();
  await db
    .insertInto("app_databases")
    .values({
      app_id: app.id,
      version: "16",
      role: "r",
      password: seal("s", sealContext.databasePassword(app.id)),
      url: seal("s", sealContext.databaseUrl(app.id)),
    })
    .execute();
  const inputs = seal("s", sealContext.deployInputs(deployId));
  await db.updateTable("deploys").set({ inputs }).where("id", "=", deployId).execute();
  const release = { image_digest: "sha256:0", commit_sha: "0", framework: "static", port: 80 };
  const env = seal("s", sealContext.releaseEnv(deployId));
  await db
    .insertInto("releases")
    .values({ id: newId(), app_id: app.id, deploy_id: deployId, name: "v1", ...release, env })
    .execute();
  await db
    .insertInto("deploy_keys")
    .values({
      app_id: app.id,
      public_key: "p",
      fingerprint: "f",
      private_key: seal("s", sealContext.deployKey(app.id)),
    })
    .execute();
  await db
    .insertInto("webhooks")
    .values({
      id: webhookId,
      app_id: app.id,
      url: "https://x",
      secret: seal("s", sealContext.webhookSecret(webhookId)),
    })
    .execute();
  const mailId = newId();
  const body = seal("s", sealContext.mailBody(mailId));
  await db
    .insertInto("mails")
    .values({ id: mailId, recipient: "a@example.com", kind: "verify", body, next_attempt_at: new Date() })
    .execute();
  const gitTokenKey = { name: "git-token-key", value: seal("s", sealContext.gitTokenKey()) };
  const sessionSecret = { name: "session-secret", value: seal("s", sealContext.sessionSecret()) };
  const cardKey = { name: "card-key", value: seal("s", sealContext.cardKey()) };
  await db
    .insertInto("installation")
    .values([gitTokenKey, sessionSecret, cardKey, { name: "not sealed", value: Buffer.from("plain") }])
    .execute();
  const { owner_id: userId } = await db
    .selectFrom("apps")
    .select("owner_id")
    .where("id", "=", app.id)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("two_factors")
    .values({ user_id: userId, secret: seal("s", sealContext.secondFactor(userId)), recovery_codes: [] })
    .execute();
  const [conversationId, cardId, messageId] = [newId(), newId(), newId()];
  await db.insertInto("conversations").values({ id: conversationId, user_id: userId, team_id: userId }).execute();
  await db
    .insertInto("cards")
    .values({
      id: cardId,
      conversation_id: conversationId,
      content: seal("s", sealContext.card(cardId)),
      expires_at: new Date(),
      decided_at: null,
    })
    .execute();
  await db
    .insertInto("conversation_messages")
    .values({
      id: messageId,
      conversation_id: conversationId,
      role: "person",
      parts: "[]",
      hidden_values: seal("s", sealContext.conversationValues(messageId)),
      open_until: null,
    })
    .execute();
}

test("every sealed value is sealed with the new key, and none is forgotten", async () => {
  await addEverySecret();
  const before = await countValuesByKey(database.db);
  expect([...before.values()]).toEqual([SEALED_COLUMNS.length]);
  const [old] = keyIds();

  const rotation = await rotate();
  expect(rotation).toEqual({
    key: keyIds()[0],
    made: true,
    resealed: SEALED_COLUMNS.length,
    oldKeys: [{ id: old, inUse: 0 }],
    dropped: [],
  });
  expect(keyIds()).toEqual([rotation.key, old]);
  expect(rotation.key).not.toBe(old);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await countValuesByKey(database.db)).toEqual(new Map([[rotation.key, SEALED_COLUMNS.length]]));
  for (const { table, column, keys, only = sql`true`, contextOf } of SEALED_COLUMNS) {
    const names = sql.join(keys.map((key) => sql`${sql.ref(key)}::text`));
    const { rows } = await sql<{ keys: string[]; sealed: Buffer }>`
      select array[${names}] as keys, ${sql.ref(column)} as sealed from ${sql.table(table)} where ${only}
    `.execute(database.db);
    expect(rows.map((row) => keyRing.open(row.sealed, contextOf(...row.keys)))).toEqual(["s"]);
  }
  const { rows } = await database.query("select value from installation where name = 'not sealed'");
  expect(String(rows[0]!["value"])).toBe("plain");
});

test("every column that holds sealed bytes is known to the rotation", async () => {
  const { rows } = await database.query(
    "select table_name, column_name from information_schema.columns where table_schema = 'public' and data_type = 'bytea'",
  );
  const found = rows.map((row) => `${String(row["table_name"])}.${String(row["column_name"])}`);
  /** Hashes, what passkeys say of themselves, and the bytes of a delivery. */
  const hashes = ["api_keys.hash", "idempotency_keys.body_hash", "join_tokens.hash", "servers.host_key"];
  hashes.push("invitations_to_join.token_hash", "team_invitations.token_hash", "auth_rate_limits.key");
  hashes.push("device_codes.code_hash", "oauth_codes.code_hash", "oidc_attempts.token_hash");
  hashes.push("passkey_challenges.challenge");
  const plain = [...hashes, "passkeys.credential_id", "passkeys.public_key", "webhook_deliveries.body"];
  const sealed = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
  expect(found.filter((name) => !plain.includes(name)).toSorted()).toEqual([...sealed].toSorted());
});

test("a control plane that runs opens what was sealed anew, and seals with the new key", async () => {
  const app = await addEnv(3);
  const { key } = await rotate();
  expect(await openEnv(app)).toHaveLength(3);
  expect(keyRing.seal("x", "y").toString("hex", 0, 4)).toBe(key);
});

test("old keys are dropped when nothing needs them, and not before writers have ended", async () => {
  const app = await addEnv(3);
  const { key } = await rotate();
  await expect(rotate({ dropOld: true })).rejects.toThrow(/Drop the old keys after \d{4}-/);
  await age();
  const dropped = await rotate({ dropOld: true });
  expect(dropped).toMatchObject({ key, made: false, resealed: 0, oldKeys: [] });
  expect(dropped.dropped).toHaveLength(1);
  expect(keyIds()).toEqual([key]);
  expect(await openEnv(app)).toHaveLength(3);
  expect((await rotate({ dropOld: true })).dropped).toEqual([]);
  await expect(openKeyRing(database.db, file)).resolves.toBeDefined();
});

test("a value that was sealed with an old key meanwhile is sealed anew before that key is dropped", async () => {
  await rotate();
  const [, old] = readMasterKeys(file)!;
  const app = await addApp(database.db, { serverId: null });
  const value = createKeyRing([old!]).seal("late", sealContext.env(app.id, "LATE"));
  await database.db.insertInto("env_vars").values({ app_id: app.id, key: "LATE", value }).execute();
  await age();
  expect(await rotate({ dropOld: true })).toMatchObject({ resealed: 1, dropped: [keyId(old!)] });
  expect(await openEnv(app.id)).toEqual(["late"]);
});

test("a value that can't be opened stops the rotation with its name, and drops no key", async () => {
  const app = await addEnv(1);
  await database.db
    .updateTable("env_vars")
    .set({ value: Buffer.alloc(64, 1) })
    .where("app_id", "=", app)
    .execute();
  await expect(rotate()).rejects.toThrow(/stopped at the value env:.*:KEY_0: .*needs the master key 01010101/);
  await expect(rotate({ dropOld: true })).rejects.toThrow(/stopped at/);
  expect(keyIds()).toHaveLength(2);
});

test("one of two rotations at once is refused", async () => {
  await addEnv(500);
  const results = await Promise.allSettled([rotate(), rotate()]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(keyIds()).toHaveLength(2);
});

test("a rotation that is killed in the middle is gone on with, while values stay readable", async () => {
  const app = await addEnv(6000);
  const [old] = keyIds();
  const env = {
    PATH: process.env["PATH"]!,
    DATABASE_URL: database.url,
    SVC_DATA_DIR: directory,
    SVC_MASTER_KEY_FILE: file,
  };
  const killed = spawn(process.execPath, [ADMIN, "secrets", "rotate"], { env, stdio: "ignore" });
  const exited = once(killed, "exit");
  await eventually(
    async () => (await countValuesByKey(database.db)).size,
    (size) => size === 2 || killed.exitCode !== null,
    { what: "some values are sealed anew", deadlineMs: 20_000, intervalMs: 2 },
  );
  killed.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);

  const counts = await countValuesByKey(database.db);
  const [newest] = keyIds();
  expect([...counts.keys()].toSorted()).toEqual([newest, old].toSorted());
  expect((await openEnv(app)).length).toBe(6000);
  await expect(openKeyRing(database.db, file)).resolves.toBeDefined();

  // The database may still have ended the one statement that was under way.
  const left = counts.get(old!) ?? 0;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [ADMIN, "--json", "secrets", "rotate"], { env });
  expect(JSON.parse(stdout)).toEqual({
    key: newest,
    made: false,
    resealed: expect.toSatisfy((resealed: number) => left - resealed <= 1),
    old_keys: [{ id: old, in_use: 0, can_be_dropped: true }],
    dropped: [],
  });
  expect(keyIds()).toEqual([newest, old]);
  expect(new Set(await openEnv(app)).size).toBe(6000);
});
