import { afterAll, beforeAll, expect, test } from "vitest";
import { labelFilter, LABEL_APP_NAME } from "@svc/shared/rules/labels.ts";
import { rowKeeper } from "../support/kills/row-keeper.ts";
import { startStoringLoad } from "../support/kills/storing-load.ts";
import type { Daemon } from "../support/platform/platform.ts";
import { startTwoServers, type Move, type TestServer, type TwoServers } from "../support/platform/two-servers.ts";
import { eventually } from "../support/tools/eventually.ts";

/** Where a move is, by what it has recorded: each is a moment between two of its steps. */
const MOMENTS = {
  "while the image is carried":
    "select from deploy_steps where deploy_id = $1 and step_order = 2 and status = 'running'",
  "while the databases are carried": sayingOf("Carrying the databases"),
  "once the databases are there": sayingOf("The databases are there"),
  "while the app is started": "select from deploy_steps where deploy_id = $1 and step_order = 3 and status = 'running'",
  "while its routes are made":
    "select from deploy_steps where deploy_id = $1 and step_order = 4 and status = 'running'",
} as const;

function sayingOf(line: string): string {
  return `select from deploy_events where deploy_id = $1 and kind = 'log' and payload->>'lines' like '%${line}%'`;
}

const APP = "shop";

let servers: TwoServers;
let here: TestServer;
let there: TestServer;

beforeAll(async () => {
  servers = await startTwoServers();
  await servers.createApp(APP, await rowKeeper("one"), { needs_database: true });
  expect((await servers.platform.deploy(APP)).deploy).toMatchObject({ status: "success" });
  [here, there] = [servers.first, await servers.addSecond()];
});
afterAll(() => servers?.stop());

/** Kills the victim at that moment, and starts it again at once. @returns the move, once it has ended */
async function moveAndKill(victim: Daemon, moment: keyof typeof MOMENTS): Promise<Move> {
  const { platform } = servers;
  const { id } = await servers.beginMove(APP, there);
  const isThere = async (): Promise<boolean> => (await platform.database.query(MOMENTS[moment], [id])).rows.length > 0;
  await eventually(isThere, Boolean, { what: moment, deadlineMs: 60_000, intervalMs: 5 });
  await victim.stop("SIGKILL");
  await victim.start();
  return servers.endOfMove(APP);
}

async function containersOf(server: TestServer): Promise<number> {
  const filters = labelFilter({ [LABEL_APP_NAME]: APP });
  return (await server.engine.docker.listContainers({ all: true, filters })).length;
}

const SOURCE = "the agent of the server that it leaves";
const TARGET = "the agent of the server that it goes to";

test.for([
  ["the control plane", "while the image is carried"],
  ["the control plane", "once the databases are there"],
  ["the control plane", "while its routes are made"],
  [SOURCE, "while the databases are carried"],
  [TARGET, "while the app is started"],
] as const)("a move whose app stores rows loses none when %s dies %s", { timeout: 500_000 }, async ([who, moment]) => {
  const { platform } = servers;
  const victim = who === "the control plane" ? platform.controlPlane : (who === SOURCE ? here : there).agent;
  const load = startStoringLoad([here.target(APP)], 50);
  await eventually(load.sent, (sent) => sent > 50, { what: "rows are stored", deadlineMs: 30_000 });

  const move = await moveAndKill(victim, moment);
  await load.stop();
  if (move.status === "success") [here, there] = [there, here];

  // It serves where it is said to be, and nothing of it is left elsewhere.
  await eventually(
    () => here.fetchApp(APP).then(({ status }) => status, String),
    (status) => status === 200,
    { what: `it serves on ${here.name} (the move: ${move.status}, ${move.error})`, deadlineMs: 90_000 },
  );
  await eventually(
    () => containersOf(there),
    (count) => count === 0,
    { what: `nothing of it is left on ${there.name}`, deadlineMs: 90_000 },
  );
  const { body } = await here.fetchApp(APP, "/rows");
  const stored = new Set(body.split(",").map(Number));
  const [confirmed] = load.confirmed.values();
  expect([...confirmed!].filter((row) => !stored.has(row))).toEqual([]);
});
