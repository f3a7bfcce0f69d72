import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labelFilter, LABEL_ROLE, LABEL_SERVER } from "@svc/shared/rules/labels.ts";
import { execInContainer } from "@svc/agent/engine/containers/exec.ts";
import { nodeApp, sample } from "../support/platform/apps.ts";
import { eventually } from "../support/tools/eventually.ts";
import type { Platform } from "../support/platform/platform.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../support/platform/platform-with-git.ts";

const ROWS = 200_000;

const docker = new Docker();
let setup: PlatformWithGit;
let platform: Platform;

beforeAll(async () => {
  setup = await startPlatformWithGit();
  platform = setup.platform;
});
afterAll(() => setup?.stop());

const serverId = (): string =>
  (JSON.parse(readFileSync(join(platform.agentDataDir, "identity/server.json"), "utf8")) as { id: string }).id;
const visits = async (): Promise<number> =>
  (JSON.parse((await platform.fetchApp("data", "/api/visits")).body) as { visits: number }).visits;

/** As the database's superuser, in the app's database. */
async function query(statement: string): Promise<string> {
  const filters = labelFilter({ [LABEL_SERVER]: serverId(), [LABEL_ROLE]: "database" });
  const [database] = await docker.listContainers({ filters });
  const names = await psql(database!.Id, "postgres", "select datname from pg_database where datname like '%data%'");
  return psql(database!.Id, names, statement);
}

async function psql(id: string, database: string, statement: string): Promise<string> {
  const argv = ["psql", "-U", "postgres", "-d", database, "-tA", "-c", statement];
  const { exitCode, output } = await execInContainer({ docker }, id, argv, "");
  if (exitCode !== 0) throw new Error(output);
  return output.trim();
}

async function imageNames(id: string): Promise<string[]> {
  const images = await docker.listImages({ filters: labelFilter({ [LABEL_SERVER]: id }) });
  return images.flatMap(({ RepoTags: names }) => names ?? []);
}

const answers = (name: string, status: number) =>
  eventually(
    () =>
      platform.fetchApp(name).then(
        (answer) => answer.status,
        () => 0,
      ),
    (seen) => seen === status,
    { what: `${name} answers ${status}`, deadlineMs: 60_000 },
  );

test("a host whose agent lost its data directory is the same server again: apps, rows, rollback and deploys", async () => {
  const repository = await setup.createApp("data", sample("hello"), { needs_database: true });
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  await repository.commit({ "further.txt": "v2" });
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  await setup.createApp("plain", nodeApp('return "plain"'));
  expect((await platform.deploy("plain")).deploy.error).toBeUndefined();
  await setup.createApp("asleep", nodeApp('return "awake"'));
  expect((await platform.deploy("asleep")).deploy.error).toBeUndefined();
  await platform.api("POST", "/api/apps/asleep/action", { action: "stop" });
  await query(`create table kept as select n, md5(n::text) as text from generate_series(1, ${ROWS}) as n`);
  const visited = await visits();
  const [id, former] = [serverId(), await imageNames(serverId())];

  await platform.agent.stop();
  rmSync(platform.agentDataDir, { recursive: true });
  const { token } = JSON.parse(await platform.admin("server", "token", "--for", "server-1", "--json")) as {
    token: string;
  };
  await platform.agent.start({ SVC_JOIN_TOKEN: token });

  expect(serverId()).toBe(id);
  await eventually(() => existsSync(join(platform.agentDataDir, "internal-ca.pem")), Boolean, {
    what: "the proxy has its authority",
  });
  await answers("data", 200);
  await answers("plain", 200);
  await answers("asleep", 503);
  expect(await visits()).toBeGreaterThan(visited);
  expect(await query("select count(*) || ' ' || count(distinct text) from kept")).toBe(`${ROWS} ${ROWS}`);
  expect((await platform.api("POST", "/api/apps/asleep/action", { action: "start" })).status).toBe(200);
  await answers("asleep", 200);

  const named = await eventually(
    () => imageNames(id),
    (names) => names.every((name) => !former.includes(name)),
    { what: "images have names that the new secret makes" },
  );
  expect(named.length).toBeGreaterThanOrEqual(former.length);
  expect((await platform.api("POST", "/api/apps/data/rollback")).status).toBe(200);
  expect(await visits()).toBeGreaterThan(visited);
  await repository.commit({ "further.txt": "v3" });
  expect((await platform.deploy("data")).deploy.error).toBeUndefined();
  expect(await visits()).toBeGreaterThan(visited);
  expect(await query("select count(*) from kept")).toBe(String(ROWS));
});
