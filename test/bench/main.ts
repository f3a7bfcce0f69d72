/**
 * The benchmarks: each figure beside its floor, measured in the same run, as a ratio. `npm run bench` runs all of them,
 * `npm run bench -- deploy` one. Prints a table for people, then the same as one JSON document.
 */
import { benchAppsList } from "./apps-list.ts";
import { benchDeploy } from "./deploy.ts";
import { benchRest } from "./rest.ts";
import { benchRoutes } from "./routes.ts";
import { benchSvcStart } from "./svc-start.ts";
import { benchSwitch } from "./switch.ts";
import { printFigures, type Figure } from "./figures.ts";

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  "apps-list": benchAppsList,
  deploy: benchDeploy,
  rest: benchRest,
  "svc-start": benchSvcStart,
  routes: benchRoutes,
  switch: benchSwitch,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(", ")}; there are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  figures.push(...(await bench()));
}
printFigures(figures);
// A benchmark that promises more than figures sets it when the promise is broken.
process.exit(process.exitCode ?? 0);
