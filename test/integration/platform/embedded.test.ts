import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openAdminDatabase } from "@svc/control-plane/admin/admin-database.ts";
import { claimEmbedded } from "@svc/control-plane/platform/database/embedded/claim.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "@svc/control-plane/platform/database/embedded/embedded.ts";
import { openDatabase } from "@svc/control-plane/platform/database/database.ts";
import { migrate } from "@svc/control-plane/platform/database/migrate.ts";
import { createKeyRing } from "@svc/control-plane/secrets/keyring.ts";
import { openKeyRing } from "@svc/control-plane/secrets/open-key-ring.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { ADMIN } from "../../support/platform/bundles.ts";

const run = promisify(execFile);

let parent: string;
let directory: string;
let server: EmbeddedPostgres | undefined;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-embedded-"));
  // As /root is: nobody else may pass, and the data lies below it all the same.
  await chmod(parent, 0o700);
  directory = join(parent, "control-plane", "postgres");
});
afterEach(() => server?.stop());
afterAll(() => rm(parent, { recursive: true, force: true }));

const start = async (path = directory) =>
  (server = await startEmbeddedPostgres({ directory: path, log: silentLogger }));

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const pidOf = async () => Number((await readFile(join(directory, "data", "postmaster.pid"), "utf8")).split("\n")[0]);

test("the embedded PostgreSQL starts below a directory that only its owner may pass, keeps its data, and shows its files to nobody", async () => {
  const first = await start();
  expect(first.adopted).toBe(false);
  await query(first.url, "create table kept as select 1 as id");
  expect((await stat(join(directory, "password"))).mode & 0o777).toBe(0o600);
  await first.stop();
  await expect(query(first.url, "select 1")).rejects.toThrow("ECONNREFUSED");
  expect(await query((await start()).url, "select id from kept")).toEqual([{ id: 1 }]);
});

test("the embedded PostgreSQL is adopted by a second process, also when many come at once", async () => {
  const servers = await Promise.all(Array.from({ length: 5 }, () => start()));
  expect(servers.filter(({ adopted }) => !adopted)).toHaveLength(1);
  expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
});

test("the embedded PostgreSQL starts again after it was killed, and after its process number went to another process", async () => {
  const { url } = await start();
  await query(url, "create table acknowledged as select 7 as id");
  process.kill(await pidOf(), "SIGKILL");
  await expect.poll(() => server!.isRunning()).toBe(false);
  expect(await query((await start()).url, "select id from acknowledged")).toEqual([{ id: 7 }]);

  const pidFile = join(directory, "data", "postmaster.pid");
  const content = await readFile(pidFile, "utf8");
  await server!.stop();
  // This test's own process has the number now.
  await writeFile(pidFile, content.replace(/^\d+/, String(process.pid)));
  expect((await start()).adopted).toBe(false);
});

test("a first start that was interrupted does no harm", async () => {
  const other = join(parent, "interrupted");
  await mkdir(join(other, "initdb-abandoned"), { recursive: true });
  await start(other);
  expect(await query(server!.url, "select 1 as ok")).toEqual([{ ok: 1 }]);
});

test("a start that fails says why and what to do", async () => {
  const broken = join(parent, "broken");
  await start(broken);
  await server!.stop();
  await writeFile(join(broken, "data", "postgresql.conf"), "nonsense");
  await expect(start(broken)).rejects.toThrow(
    /does not start as user .*postgresql\.conf.* contains errors.*SVC_DATA_DIR/,
  );
});

test("a wrong or readable master key refuses to start, naming what it needs", async () => {
  const { url } = await start();
  await migrate(url, silentLogger);
  const db = openDatabase({ url, log: silentLogger });
  try {
    const file = join(parent, "keys", "master.key");
    const [one, two] = await Promise.all([openKeyRing(db, file), openKeyRing(db, file)]);
    expect(two.open(one.seal("text", "here"), "here")).toBe("text");
    const newest = Buffer.alloc(32, 1);
    await writeFile(file, `${newest.toString("base64")}\n${await readFile(file, "utf8")}`);
    const rotated = await openKeyRing(db, file);
    expect(rotated.open(one.seal("old", "here"), "here")).toBe("old");
    expect(createKeyRing([newest]).open(rotated.seal("new", "here"), "here")).toBe("new");

    await cp(file, `${file}.copy`);
    await chmod(`${file}.copy`, 0o644);
    await expect(openKeyRing(db, `${file}.copy`)).rejects.toThrow(/mode 0644, so others can read it\. Run: chmod 600/);
    await writeFile(`${file}.wrong`, newest.toString("base64"), { mode: 0o600 });
    await expect(openKeyRing(db, `${file}.wrong`)).rejects.toThrow(
      /need the master key [0-9a-f]{8}, but of .*wrong: it holds/,
    );
    await expect(openKeyRing(db, `${file}.none`)).rejects.toThrow(
      /need the master key [0-9a-f]{8}.*there is no such file/,
    );
    await writeFile(`${file}.bad`, "c2hvcnQ=", { mode: 0o600 });
    await expect(openKeyRing(db, `${file}.bad`)).rejects.toThrow(/Key 1 in .* is not 32 bytes in base64/);
  } finally {
    await db.destroy();
  }
});

test("an operator's command starts the database where nobody runs it, and stops it afterwards", async () => {
  const data = join(parent, "admin");
  const admin = async (...args: string[]) => {
    const env = { PATH: process.env["PATH"]!, SVC_DATA_DIR: data };
    const { stdout } = await run(process.execPath, [ADMIN, ...args], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const user = await admin("user", "create", "--email", "ada@example.test", "--tier", "pro", "--verified", "--json");
  expect(user).toMatchObject({ email: "ada@example.test", tier: "pro", email_verified: true });
  const key = await admin("key", "create", "--email", "Ada@Example.test", "--scopes", "apps:read", "--json");
  expect(key).toMatchObject({ key: expect.stringMatching(/^svc_/) as string, scopes: ["apps:read"], apps: null });
  await expect(stat(join(data, "postgres", "data", "postmaster.pid"))).rejects.toThrow("ENOENT");

  await start(join(data, "postgres"));
  expect(await admin("key", "list", "--json")).toMatchObject([{ id: key["id"], email: "ada@example.test" }]);
  expect(await query(server!.url, "select 1 as ok")).toEqual([{ ok: 1 }]);
  const wrong = admin("user", "create", "--email", "ada@example.test", "--json");
  await expect(wrong).rejects.toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^error: [^\n]*already\.\n$/) as string,
  });
});

test("an operator's command leaves the database to a control plane that has claimed it, and not connected yet", async () => {
  const data = join(parent, "claimed");
  const admin = await openAdminDatabase({ databaseUrl: undefined, dataDirectory: data }, silentLogger);
  const release = await claimEmbedded(data);
  const adopted = await start(join(data, "postgres"));
  await admin.close();
  expect(await adopted.isRunning()).toBe(true);
  await release();
});
