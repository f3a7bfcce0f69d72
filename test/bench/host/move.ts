import { execFile, spawn } from "node:child_process";
import { once } from "node:events";

import { promisify } from "node:util";
import { databaseNameOf } from "@svc/control-plane/deploys/inputs/database-name.ts";
import { DATABASE_DIRECTORY } from "@svc/agent/database/container.ts";
import { labelFilter, LABEL_APP_NAME, LABEL_ROLE } from "@svc/shared/rules/labels.ts";
import { rowKeeper } from "../../support/kills/row-keeper.ts";
import { startStoringLoad, type StoringLoad } from "../../support/kills/storing-load.ts";
import { startTwoServers, type TestServer, type TwoServers } from "../../support/platform/two-servers.ts";
import { eventually } from "../../support/tools/eventually.ts";
import type { Figure } from "../figures.ts";

const run = promisify(execFile);

/** With its index about 1 GB; the disks of both hosts lie in memory. */
const BALLAST_ROWS = process.env["BENCH_SHORT"] === undefined ? 900_000 : 20_000;
const PER_SECOND = 20;
const EVACUATED = ["ada", "bob", "cyd", "dee", "eve"];

/**
 * Two hosts with engines of their own: an app with about 1 GB of database moves while it stores rows, then a host with five
 * small apps is evacuated under the same load. A lost row makes the exit status 1.
 */
export async function benchMove(): Promise<Figure[]> {
  const servers = await startTwoServers();
  try {
    const second = await servers.addSecond();
    return [...(await moveLarge(servers, second)), ...(await evacuateFive(servers, second))];
  } finally {
    await servers.stop();
  }
}

async function moveLarge({ first, platform, ...servers }: TwoServers, second: TestServer): Promise<Figure[]> {
  await servers.createApp("large", await rowKeeper("1"), { needs_database: true });
  await requireSuccess(await platform.deploy("large"));
  const home = (await databaseOf(first, "large")) ? first : second;
  const other = home === first ? second : first;
  const ballast =
    `SET ROLE ${databaseNameOf("large")}; CREATE TABLE ballast (id bigint PRIMARY KEY, text text);` +
    `INSERT INTO ballast SELECT n, repeat(md5(n::text), 32) FROM generate_series(1, ${BALLAST_ROWS}) n;`;
  await psql(home, ballast);
  const bytes = Number(await psql(home, `SELECT pg_database_size(current_database())`));

  const load = startStoringLoad([home.target("large")], PER_SECOND);
  await eventually(load.sent, (sent) => sent > 5 * PER_SECOND, { what: "the load runs", deadlineMs: 60_000 });
  const began = performance.now();
  await servers.beginMove("large", other);
  const move = await servers.endOfMove("large");
  const seconds = (performance.now() - began) / 1000;
  await load.stop();
  if (move.status !== "success") throw new Error(`the move: ${move.status}, ${move.error}`);
  const lost = await lostRows(load, other, "large");
  report(`a database of ${Math.round(bytes / 1e6)} MB`, load, lost);
  const floor = [await byHand(other, home)];
  return [
    {
      ...SECONDS,
      what: `${Math.round(bytes / 1e6)} MB: requests are refused`,
      values: [move.refused_seconds!],
      floor,
      floorIs: BY_HAND,
    },
    { ...SECONDS, what: `${Math.round(bytes / 1e6)} MB: the whole move`, values: [seconds], floor, floorIs: BY_HAND },
  ];
}

const SECONDS = { bench: "move", unit: "s" } as const;
const BY_HAND = "docker cp of the same files by hand";

/** The same files, copied by the engines' own tool. */
async function byHand(from: TestServer, to: TestServer): Promise<number> {
  const { Id: source } = (await databaseOf(from, "large"))!;
  const { id: target } = await to.engine.docker.createContainer({ Image: "postgres:16" });
  const began = performance.now();
  const read = spawn("docker", ["-H", from.engine.host, "cp", `${source}:${DATABASE_DIRECTORY}`, "-"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const write = spawn("docker", ["-H", to.engine.host, "cp", "-", `${target}:/tmp`], {
    stdio: [read.stdout, "ignore", "inherit"],
  });
  await once(write, "exit");
  await to.engine.docker.getContainer(target).remove({ v: true });
  return (performance.now() - began) / 1000;
}

async function evacuateFive({ first, platform, ...servers }: TwoServers, second: TestServer): Promise<Figure[]> {
  await platform.admin("server", "drain", second.name);
  for (const app of EVACUATED) {
    await servers.createApp(app, await rowKeeper("1"), { needs_database: true });
    await requireSuccess(await platform.deploy(app));
  }
  await platform.admin("server", "undrain", second.name);
  const load = startStoringLoad(
    EVACUATED.map((app) => first.target(app)),
    PER_SECOND,
  );
  await eventually(load.sent, (sent) => sent > 5 * PER_SECOND, { what: "the load runs", deadlineMs: 60_000 });
  const began = performance.now();
  await platform.admin("server", "drain", first.name, "--evacuate");
  const seconds = (performance.now() - began) / 1000;
  await load.stop();
  const lost = await Promise.all(EVACUATED.map((app) => lostRows(load, second, app)));
  report(`evacuation of ${EVACUATED.length} apps`, load, lost.flat());
  const refused = await Promise.all(
    EVACUATED.map(async (app) => {
      const { body } = await platform.api("GET", `/api/apps/${app}/move`);
      return (body as { move: { refused_seconds: number } }).move.refused_seconds;
    }),
  );
  const bound = { floor: [60], floorIs: "a minute" };
  return [
    { ...SECONDS, what: `evacuation: requests of an app are refused`, values: refused, ...bound },
    {
      ...SECONDS,
      what: `evacuation of ${EVACUATED.length} apps, each`,
      values: [seconds / EVACUATED.length],
      ...bound,
    },
  ];
}

function report(scene: string, load: StoringLoad, lost: readonly number[]): void {
  const confirmed = [...load.confirmed.values()].reduce((sum, rows) => sum + rows.size, 0);
  console.log(
    `${scene}: ${load.sent()} requests, ${confirmed} confirmed, ${lost.length} of them lost`,
    lost.slice(0, 10),
  );
  console.log(
    "without an answer, while the app was refused and until the load ended:",
    Object.fromEntries(load.failed),
  );
  if (lost.length > 0) process.exitCode = 1;
}

/** Rows that the app has confirmed, and does not have where it is now. */
async function lostRows(load: StoringLoad, server: TestServer, app: string): Promise<number[]> {
  const { body } = await server.fetchApp(app, "/rows");
  const stored = new Set(body.split(",").map(Number));
  return [...load.confirmed.get(server.target(app).host)!].filter((row) => !stored.has(row));
}

async function requireSuccess({ deploy }: { deploy: { status: string; error?: string } }): Promise<void> {
  if (deploy.status !== "success") throw new Error(`a deploy: ${deploy.status}, ${deploy.error}`);
}

async function databaseOf(server: TestServer, app: string) {
  const filters = labelFilter({ [LABEL_APP_NAME]: app, [LABEL_ROLE]: "database" });
  return (await server.engine.docker.listContainers({ filters }))[0];
}

async function psql(server: TestServer, sql: string): Promise<string> {
  const { Id: id } = (await databaseOf(server, "large"))!;
  const database = databaseNameOf("large");
  const argv = ["-H", server.engine.host, "exec", id, "psql", "-U", "postgres", "-d", database, "-At", "-c", sql];
  return (await run("docker", argv)).stdout.trim();
}
