/**
 * The benchmarks: each figure beside its floor, measured in the same run, as a ratio. `npm run bench` runs all of them,
 * `npm run bench -- deploy` one, `npm run bench -- frameworks --only nextjs,go` that one for two frameworks,
 * `npm run bench -- neighbours --only disk` for one scene, `--rounds 3` three times each; `npm run bench -- kills --seed 7` kills the same ones again. Prints tables for people, then the same as one JSON document.
 */
import { parseArgs } from "node:util";
import { benchAppsList } from "./api/apps-list.ts";
import { benchDashboards } from "./api/dashboards.ts";
import { benchDeploy } from "./builds/deploy.ts";
import { benchFrameworks, FRAMEWORK_NAMES, FRAMEWORKS_BENCH } from "./builds/frameworks.ts";
import { printFrameworks } from "./builds/frameworks-table.ts";
import { benchKills } from "./host/kills.ts";
import { benchLogFlood } from "./pages/log-flood.ts";
import { benchMemory } from "./host/memory.ts";
import { benchMove } from "./host/move.ts";
import { benchNeighbours } from "./host/neighbours.ts";
import { SCENES } from "../support/load/neighbours.ts";
import { benchPageLoads } from "./pages/page-loads.ts";
import { benchRest } from "./host/rest.ts";
import { benchRoutes } from "./traffic/routes.ts";
import { benchStreams } from "./api/streams.ts";
import { benchSvcStart } from "./host/svc-start.ts";
import { benchSwitch } from "./traffic/switch.ts";
import { printJson, printTable, type Figure } from "./figures.ts";

const { values, positionals: wanted } = parseArgs({
  options: { only: { type: "string" }, rounds: { type: "string", default: "2" }, seed: { type: "string" } },
  allowPositionals: true,
});
const only = values.only?.split(",") ?? [];
const rounds = Number(values.rounds);
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  "apps-list": benchAppsList,
  dashboards: benchDashboards,
  deploy: benchDeploy,
  [FRAMEWORKS_BENCH]: () => benchFrameworks(only, rounds),
  kills: () => benchKills(seed),
  "log-flood": benchLogFlood,
  memory: benchMemory,
  move: benchMove,
  neighbours: () => benchNeighbours(SCENES.filter((scene) => only.length === 0 || only.includes(scene))),
  "page-loads": benchPageLoads,
  rest: benchRest,
  streams: benchStreams,
  "svc-start": benchSvcStart,
  routes: benchRoutes,
  switch: benchSwitch,
};

if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds is ${values.rounds}; allowed is a whole number from 1.`);
  process.exit(2);
}
refuse("benchmark", wanted, Object.keys(BENCHES));
refuse("framework or scene", only, [...FRAMEWORK_NAMES, ...SCENES]);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  figures.push(...(await bench()));
}
printTable(figures.filter(({ bench }) => bench !== FRAMEWORKS_BENCH));
printFrameworks(figures.filter(({ bench }) => bench === FRAMEWORKS_BENCH));
printJson(figures);
// A benchmark that promises more than figures sets it when the promise is broken.
process.exit(process.exitCode ?? 0);

function refuse(kind: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  console.error(`No ${kind} ${unknown.join(", ")}; there are: ${known.join(", ")}.`);
  process.exit(2);
}
