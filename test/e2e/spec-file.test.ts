import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dockerfileApp, nodeApp } from "../support/platform/apps.ts";
import type { Files } from "../support/doubles/git-host.ts";
import { buildBaseImage } from "../support/engine/build-base-image.ts";
import type { Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";
import { promise } from "../support/promises/promise.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
let setup: PlatformWithGit;
let platform: Platform;

beforeAll(async () => {
  // Only 16 is there by default; this one is what the spec file asks for.
  await buildBaseImage("postgres:15");
  setup = await startPlatformWithGit();
  platform = setup.platform;
});
afterAll(() => setup?.stop());

function specFile(lines: readonly string[]): Files {
  return { "svc.yaml": ["# spec: svc/v1", ...lines, ""].join("\n") };
}

/** An own Dockerfile whose program answers with its arguments and a variable; `pg` comes from the registry. */
function reporter(): Files {
  return {
    ...dockerfileApp([
      "ARG NPM_CONFIG_REGISTRY",
      "WORKDIR /app",
      "RUN npm install --no-audit --no-fund pg@8.23.1",
      "COPY server.js ./",
      "USER node",
      'CMD ["node", "server.js", "from the image"]',
    ]),
    "server.js": `const http = require("node:http");
const { Client } = require("pg");
async function database() {
  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query("show server_version");
  await client.end();
  return rows[0].server_version;
}
http.createServer(async (req, res) => {
  const answer = req.url === "/database" ? await database().catch(String) : process.argv[2] + ", " + process.env.MODE;
  res.end(answer);
}).listen(process.env.PORT, "0.0.0.0");
process.on("SIGTERM", () => {
  console.log("told to stop");
  process.exit(0);
});
`,
  };
}

/** An own Dockerfile whose program runs a statement, `/<variable>?<statement>`, in the database that the variable names. */
function asker(): Files {
  const { Dockerfile } = reporter();
  return {
    Dockerfile: Dockerfile!,
    "server.js": `const { Client } = require("pg");
async function answer(url) {
  const [, variable, statement] = /^.([^?]*).(.*)$/.exec(decodeURIComponent(url));
  if (process.env[variable] === undefined) return "no " + variable;
  const client = new Client({ connectionString: process.env[variable] });
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return JSON.stringify(rows);
}
require("node:http").createServer(async (req, res) => res.end(await answer(req.url).catch(String)))
  .listen(process.env.PORT, "0.0.0.0");
`,
  };
}

/** An app with build and start scripts of its own, neither of which may run. */
function buildScripts(): Files {
  return {
    "package.json": JSON.stringify({
      private: true,
      scripts: { build: "node make.js from-the-build-script", start: "node no-such-file.js" },
    }),
    "make.js": 'require("node:fs").writeFileSync("made.txt", "made " + process.argv[2]);',
    "serve.js": `const { readFileSync } = require("node:fs");
require("node:http").createServer((req, res) => res.end(process.env.GREETING + ", " + readFileSync("made.txt", "utf8")))
  .listen(process.env.PORT, "0.0.0.0");
`,
  };
}

async function containerOf(app: string): Promise<{ memory: number; cpus: number; command: string[] }> {
  const { stdout: ids } = await run("docker", [
    "ps",
    "-q",
    "--filter",
    `name=^svc-${app}-`,
    "--filter",
    "label=svc.deploy",
  ]);
  const [id] = ids.trim().split("\n");
  const { stdout } = await run("docker", ["inspect", "--format", "{{json .}}", id!]);
  const { HostConfig, Config } = JSON.parse(stdout) as {
    HostConfig: { Memory: number; CpuPeriod: number; CpuQuota: number };
    Config: { Cmd: string[] };
  };
  return { memory: HostConfig.Memory, cpus: HostConfig.CpuQuota / HostConfig.CpuPeriod, command: Config.Cmd };
}

describe("a spec file in the commit", () => {
  it("gives start, port, caps and a database of its version; a rollback keeps them, and a stop reaches the app", async () => {
    promise("spec file", "a start command takes the place of the framework's");
    const first = specFile([
      "name: reporter",
      "start: MODE=spec node server.js one",
      "port: 4000",
      "services:",
      "  db:",
      "    engine: pg",
      '    version: "15"',
      "resources:",
      "  memory: 200m",
      '  cpus: "0.5"',
    ]);
    const repository = await setup.createApp("reporter", { ...reporter(), ...first });
    const one = await platform.deploy("reporter");
    expect(one.deploy.error).toBeUndefined();
    expect(one.steps[0]).toMatchObject({
      status: "success",
      output: expect.stringContaining("PostgreSQL 15 is ready"),
    });
    expect(one.steps[1]!.output).toContain("Read svc.yaml");
    expect((await platform.fetchApp("reporter")).body).toBe("one, spec");
    expect((await platform.fetchApp("reporter", "/database")).body).toMatch(/^15\./);
    const { body } = await platform.api("GET", "/api/apps");
    const [app] = (body as { apps: { port: number; needs_database: boolean; database_name: string }[] }).apps;
    expect(app).toMatchObject({ port: 4000, needs_database: true, database_name: expect.any(String) });
    expect(await containerOf("reporter")).toMatchObject({ memory: 200 * MIB, cpus: 0.5 });

    await repository.commit(
      specFile(["name: renamed", "build: make", "start: node server.js two", "services: {db: {engine: postgres}}"]),
    );
    const two = await platform.deploy("reporter");
    expect(two.deploy.error).toBeUndefined();
    const output = two.steps[1]!.output!;
    expect(output).toContain("svc.yaml is for an app named renamed; this one is reporter.");
    expect(output).toContain("`build` has no effect");
    expect(output).toContain("asks for PostgreSQL 16; the app's database is PostgreSQL 15 and stays");
    expect((await platform.fetchApp("reporter")).body).toBe("two, undefined");
    expect((await platform.fetchApp("reporter", "/database")).body).toMatch(/^15\./);
    expect(await containerOf("reporter")).toMatchObject({ memory: 2048 * MIB, command: ["node", "server.js", "two"] });

    expect((await platform.api("POST", "/api/apps/reporter/rollback")).status).toBe(200);
    expect((await platform.fetchApp("reporter")).body).toBe("one, spec");
    expect(await containerOf("reporter")).toEqual({
      memory: 200 * MIB,
      cpus: 0.5,
      command: ["/bin/sh", "-c", "MODE=spec exec node server.js one"],
    });

    const askedAt = Date.now();
    expect((await platform.api("POST", "/api/apps/reporter/action", { action: "stop" })).status).toBe(200);
    expect(Date.now() - askedAt).toBeLessThan(2000);
    const { body: log } = await platform.api("GET", "/api/apps/reporter/logs");
    expect((log as { logs: string }).logs).toContain("told to stop");
  });

  it("that breaks rules fails the build's step with the place of each mistake, and provisions nothing", async () => {
    const repository = await setup.createApp("mistaken", {
      ...nodeApp(),
      ...specFile(["name: mistaken", "prot: 3000", "services: {db: {engine: mysql}}"]),
    });
    const { deploy, steps } = await platform.deploy("mistaken");
    expect(deploy.status).toBe("failed");
    expect(steps.map(({ status }) => status)).toEqual(["skipped", "failed", "skipped", "skipped"]);
    expect(steps[1]!.error).toContain("svc.yaml:3:1: prot: is not a property here");
    expect(steps[1]!.error).toContain("Did you mean port?");
    expect(steps[1]!.error).toContain("svc.yaml:4:25: services.db.engine: mysql is reserved for v1.x");

    await repository.commit({ ...specFile(["name: mistaken"]), "svc.json": '{"spec": "svc/v1", "name": "mistaken"}' });
    const twice = await platform.deploy("mistaken");
    expect(twice.steps[1]!.error).toContain("svc.yaml and svc.json");
  });

  it("gives each of several services a database, at any deploy, and keeps that of one that is taken out", async () => {
    const services = (names: readonly string[]) =>
      specFile(["name: several", "services:", ...names.map((name) => `  ${name}: { engine: postgres }`)]);
    const ask = async (variable: string, statement: string) =>
      (await platform.fetchApp("several", `/${variable}?${encodeURIComponent(statement)}`)).body;
    const tables = "select table_name as name from information_schema.tables where table_schema = 'public' order by 1";

    const repository = await setup.createApp("several", { ...asker(), ...services(["db", "stats-1"]) });
    const first = await platform.deploy("several");
    expect(first.deploy.error).toBeUndefined();
    expect(first.steps[0]!.output).toContain("with the databases app_several, service_stats_1.");
    await ask("DATABASE_URL", "create table orders ()");
    await ask("STATS_1_DATABASE_URL", "create table visits ()");
    expect(await ask("DB_DATABASE_URL", tables)).toBe('[{"name":"orders"}]');
    expect(await ask("STATS_1_DATABASE_URL", tables)).toBe('[{"name":"visits"}]');
    expect((await platform.api("GET", "/api/apps/several/env")).body).toEqual({ env: {} });

    await repository.commit(services(["db", "cache"]));
    expect((await platform.deploy("several")).deploy.error).toBeUndefined();
    expect(await ask("DATABASE_URL", tables)).toBe('[{"name":"orders"}]');
    expect(await ask("CACHE_DATABASE_URL", tables)).toBe("[]");
    expect(await ask("STATS_1_DATABASE_URL", tables)).toBe("no STATS_1_DATABASE_URL");

    await repository.commit(services(["db", "stats-1"]));
    expect((await platform.deploy("several")).deploy.error).toBeUndefined();
    expect(await ask("STATS_1_DATABASE_URL", tables)).toBe('[{"name":"visits"}]');
    expect(await platform.api("POST", "/api/apps/several/rollback")).toMatchObject({ status: 200 });
    expect(await ask("CACHE_DATABASE_URL", tables)).toBe("[]");
    const { logs } = (await platform.api("GET", "/api/apps/several/logs")).body as { logs: string };
    expect(logs).not.toMatch(/postgres:\/\//);
  });

  it("that asks for more than the tier allows fails before the build, naming both", async () => {
    const greedy = specFile(["name: greedy", "resources: {memory: 3g}", "services: {db: {engine: postgres}}"]);
    await setup.createApp("greedy", { ...nodeApp(), ...greedy });
    const { steps } = await platform.deploy("greedy");
    // No database is made for what can't run.
    expect(steps[0]).toMatchObject({ status: "skipped" });
    expect(steps[1]!.error).toContain("svc.yaml asks for resources.memory of 3072m, and the owner's tier allows 2048m");
  });

  it("replaces the build and start commands of a generated Dockerfile", async () => {
    promise("spec file", "a build command takes the place of the framework's");
    const built = specFile([
      "name: built",
      "build: node make.js from-the-spec && echo said while building",
      "start: GREETING='hello there' node serve.js",
    ]);
    await setup.createApp("built", { ...buildScripts(), ...built });
    const { deploy, steps } = await platform.deploy("built");
    expect(deploy.error).toBeUndefined();
    expect(steps[1]!.output).toContain("said while building");
    expect(steps[1]!.output).not.toContain("from-the-build-script");
    expect((await platform.fetchApp("built")).body).toBe("hello there, made from-the-spec");
    const { command } = await containerOf("built");
    expect(command).toEqual(["/bin/sh", "-c", "GREETING='hello there' exec node serve.js"]);
  });

  it("yields to what the app was given through the API, and says so", async () => {
    const files = { ...nodeApp(), ...specFile(["name: explicit", "framework: static", "port: 9999"]) };
    await setup.createApp("explicit", files, { framework: "node", port: 4100 });
    const { deploy, steps } = await platform.deploy("explicit");
    expect(deploy.error).toBeUndefined();
    expect(steps[1]!.output).toContain("The app's own setting of framework, node, is used");
    expect((await platform.fetchApp("explicit")).body).toBe("hello");
  });
});
