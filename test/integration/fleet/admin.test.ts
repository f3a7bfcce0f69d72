import { readInstaller } from "@svc/control-plane/fleet/bundle/agent-bundle.ts";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerOperatorCommands } from "@svc/control-plane/admin/operator-commands.ts";
import { registerServerCommands, type FleetCommandDeps } from "@svc/control-plane/admin/server-commands.ts";
import { admitHost, findServer, storeStatus } from "@svc/control-plane/fleet/servers.store.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/postgres.ts";

let dataDir: string;
let database: TestDatabase;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-fleet-admin-"));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Printed {
  value: Record<string, unknown> | Record<string, unknown>[];
  human: string;
}

const listen = { host: "127.0.0.1", port: 8443 };

async function admin(...args: string[]): Promise<Printed> {
  const printed: Printed[] = [];
  const deps: FleetCommandDeps = {
    openDatabase: async () => ({ db: database.db, close: async () => undefined }),
    config: { dataDir, agentsListen: listen },
    print: (value, human) => void printed.push({ value: value as Printed["value"], human }),
  };
  const program = new Command().exitOverride();
  registerServerCommands(program, deps);
  registerOperatorCommands(program, deps);
  await program.parseAsync(args, { from: "user" });
  expect(printed).toHaveLength(1);
  return printed[0]!;
}

test("a token is printed with its server, its end, and what to type on the new host", async () => {
  const { value, human } = await admin("server", "token", "--name", "web");
  expect(value).toEqual({
    token: expect.stringMatching(/^svcjoin_/),
    server: "web",
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const { sha256 } = await readInstaller();
  expect(human).toContain(
    `export SVC_JOIN_TOKEN=${(value as { token: string }).token} && ` +
      "curl -fsSk --http1.1 https://127.0.0.1:8443/install-agent.sh -o install-agent.sh && " +
      `echo "${sha256}  install-agent.sh" | sha256sum --check --quiet && sh install-agent.sh https://127.0.0.1:8443\n\nAnother host can't reach 127.0.0.1`,
  );
});

test("a join text never names the wildcard address", async () => {
  listen.host = "0.0.0.0";
  const { human } = await admin("server", "token", "--name", "everywhere").finally(() => (listen.host = "127.0.0.1"));
  expect(human).not.toContain("0.0.0.0");
  expect(human).toMatch(/https:\/\/CONTROL_PLANE_HOST:8443\n\nCONTROL_PLANE_HOST is the name/);
});

test("no second authority is made for a fleet that has servers", async () => {
  await admin("server", "token", "--name", "member");
  const { id } = (await findServer(database.db, "member"))!;
  await admitHost(database.db, id, Buffer.alloc(32), { listenAddress: null, agentVersion: "1.0.0" });
  const own = dataDir;
  dataDir = await mkdtemp(join(tmpdir(), "svc-fleet-admin-"));
  try {
    const commands = [
      ["server", "token"],
      ["operator", "certificate", "--name", "ada", "--out", join(dataDir, "out")],
    ];
    for (const command of commands) await expect(admin(...command)).rejects.toThrow(/has no fleet authority/);
    expect(await readdir(dataDir)).toEqual([]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    dataDir = own;
  }
});

test("servers without a name are numbered", async () => {
  const names = [await admin("server", "token"), await admin("server", "token")].map(({ value }) => value);
  expect(names).toMatchObject([{ server: "server-1" }, { server: "server-2" }]);
});

test("the list tells name, state and link of each server", async () => {
  await admin("server", "token", "--name", "listed");
  const { value, human } = await admin("server", "list");
  expect(value).toContainEqual(expect.objectContaining({ name: "listed", state: "joining", linked: false }));
  expect(human).toMatch(/^NAME +STATE +AGENT/);
  expect(human).toMatch(/^listed +joining +away/m);
});

test("a server's pool, labels and address are set, and listed with its apps and its load", async () => {
  await admin("server", "token", "--name", "placed");
  const set = await admin(
    "server",
    "set",
    "placed",
    "--pool",
    "gpu",
    "--labels",
    "ssd, zone=eu-1",
    "--address",
    "[::1]:8443",
  );
  expect(set.value).toEqual({ server: "placed", pool: "gpu", labels: ["ssd", "zone=eu-1"], address: "[::1]:8443" });
  const { id } = (await findServer(database.db, "placed"))!;
  const status = JSON.stringify({ cpu: { cores: 2, load1m: 0.5 } });
  await storeStatus(database.db, id, { json: status, agentVersion: "1.0.0", observedAt: new Date() });
  await database.query("update servers set state = 'draining' where id = $1", [id]);
  const listed = {
    pool: "gpu",
    labels: ["ssd", "zone=eu-1"],
    address: "[::1]:8443",
    apps: 0,
    load_1m: 0.5,
    drained: true,
  };
  const { value, human } = await admin("server", "list");
  expect(value).toContainEqual(expect.objectContaining({ name: "placed", ...listed }));
  expect(human).toMatch(/^placed +draining +away +gpu +ssd,zone=eu-1 +\[::1\]:8443 +0 +0\.50 +1\.0\.0 +\d+ s ago$/m);
  expect((await admin("server", "set", "placed", "--labels", "", "--address", "")).value).toMatchObject({
    pool: "gpu",
    labels: [],
    address: null,
  });
  await expect(admin("server", "set", "placed")).rejects.toThrow(/at least one of pool, labels and address/);
  await expect(admin("server", "set", "nobody", "--pool", "gpu")).rejects.toMatchObject({ code: "not_found" });
});

test("status and CA are read from what the agent told last", async () => {
  await admin("server", "token", "--name", "told");
  await expect(admin("server", "status", "told")).rejects.toThrow(/has not joined yet/);
  const { id } = (await findServer(database.db, "told"))!;
  const status = { agentVersion: "1.0.0", proxy: { reachable: true, internalCaPem: "PEM\n" } };
  const observedAt = new Date();
  await storeStatus(database.db, id, { json: JSON.stringify(status), agentVersion: "1.0.0", observedAt });
  expect((await admin("server", "status", "told")).value).toEqual({
    ...status,
    linked: false,
    status_at: observedAt.toISOString(),
  });
  expect((await admin("server", "status", "told")).human).toMatch(/^agent +1\.0\.0/m);
  expect(await admin("server", "ca", "told")).toEqual({
    value: { server: "told", internal_ca_pem: "PEM\n" },
    human: "PEM",
  });
});

test("a drained server takes new apps again by the command that takes the drain back", async () => {
  await admin("server", "token", "--name", "rests");
  await expect(admin("server", "undrain", "rests")).rejects.toThrow(/not joined yet/);
  await database.query("update servers set state = 'active' where name = 'rests'");
  for (const [verb, state] of Object.entries({ drain: "draining", undrain: "active" })) {
    expect((await admin("server", verb, "rests")).value).toEqual({ server: "rests", state });
    expect((await findServer(database.db, "rests"))?.state).toBe(state);
  }
});

test("a removed server's name is free again", async () => {
  await admin("server", "token", "--name", "gone");
  await expect(admin("server", "drain", "gone")).rejects.toThrow(/not joined yet/);
  expect((await admin("server", "remove", "gone")).value).toMatchObject({ server: "gone", state: "removed" });
  await expect(admin("server", "remove", "gone")).rejects.toMatchObject({ code: "not_found" });
  expect((await admin("server", "token", "--name", "gone")).value).toMatchObject({ server: "gone" });
});

test("an operator's files belong together, and the key is the owner's alone", async () => {
  const out = join(dataDir, "ada");
  const { human } = await admin("operator", "certificate", "--name", "ada", "--out", out);
  expect(human).toContain("grpcurl -cacert");
  const read = (name: string): Promise<string> => readFile(join(out, name), "utf8");
  const certificate = new X509Certificate(await read("certificate.pem"));
  expect(certificate.checkPrivateKey(createPrivateKey(await read("key.pem")))).toBe(true);
  expect(certificate.checkIssued(new X509Certificate(await read("authority.pem")))).toBe(true);
  expect((await stat(join(out, "key.pem"))).mode & 0o777).toBe(0o600);
  const { rows } = await database.query("select target from audit_log where action = 'operator.certificate'");
  expect(rows).toEqual([{ target: "operator:ada" }]);
  await expect(admin("operator", "certificate", "--name", "ada", "--out", out)).rejects.toThrow(/exists already/);
});
