import { KILLED, killAtRandom, type Kill } from "../../support/kills/random-kills.ts";
import { round, type Figure } from "../figures.ts";

const COUNT = 200;
/** Promised: what is told is what is, so long after what was killed is back. */
const WELL_MS_MAX = 10_000;

/** Two hundred kills of any of our processes and the engine, one at a time, under load and while apps are deployed. */
export async function benchKills(seed: number): Promise<Figure[]> {
  console.log(`seed ${seed}`);
  const { kills, deploys, sent, confirmed, failed, lost } = await killAtRandom({ seed, count: COUNT }, tell);
  console.log(`${sent} requests, ${confirmed} rows confirmed, ${lost.length} of them lost`, lost.slice(0, 10));
  console.log("requests without an answer:", Object.fromEntries(failed));
  console.log("deploys:", Object.fromEntries(deploys));
  const isBroken = lost.length > 0 || deploys.has("none") || kills.some(({ wellMs }) => !(wellMs! <= WELL_MS_MAX));
  if (isBroken) process.exitCode = 1;
  return KILLED.flatMap((what): Figure[] => {
    const values = kills.filter((kill) => kill.what === what).map(({ wellMs }) => wellMs ?? Number.POSITIVE_INFINITY);
    if (values.length === 0) return [];
    return [
      {
        bench: "kills",
        what: `${what}, ${values.length} times: until all apps answer and the API says so`,
        unit: "ms",
        values,
        floor: [WELL_MS_MAX],
        floorIs: "promised",
      },
    ];
  });
}

function tell({ number, what, app, backMs, wellMs, wrong }: Kill): void {
  const well = wellMs === undefined ? `not well: ${wrong}` : `well after ${round(wellMs)} ms`;
  console.log(`${number} ${what}${what === "database" ? ` of ${app}` : ""}: back after ${round(backMs)} ms, ${well}`);
}
