import { setTimeout as delay } from "node:timers/promises";
import { SCENES, startNeighbours } from "../support/load/neighbours.ts";
import type { Figure } from "./figures.ts";

/** Requests a second, each of which stores a row: what two cores hold beside an attack that has a core of its own. */
const PER_SECOND = 60;
/** Connections, certificates, compiled code. */
const WARM_UP_MS = 8_000;
/** Before each attempt, so that what else the machine does falls on both. */
const QUIET_MS = 10_000;

/**
 * The load of one owner's app while nothing happens, and while another owner's app tries to use its host up, in turns. A
 * request that is lost makes the exit status 1.
 */
export async function benchNeighbours(): Promise<Figure[]> {
  const neighbours = await startNeighbours();
  try {
    const load = await neighbours.startLoad(PER_SECOND);
    await delay(WARM_UP_MS);
    for (const scene of SCENES) {
      load.phase("quiet");
      await delay(QUIET_MS);
      load.phase(scene);
      const began = performance.now();
      await neighbours.play(scene);
      console.log(`${scene}: ${Math.round(performance.now() - began)} ms`);
    }
    const { phases, steady, ownDelayP99 } = await load.stop();
    const lost = Object.values(phases).flatMap((phase) => Object.entries(phase.lost));
    for (const [kind, times] of lost) console.log(`lost ${times} times: ${kind}`);
    for (const reason of steady.broken.slice(0, 10)) console.log(`broken: ${reason}`);
    console.log(`The load's own delay, p99: ${ownDelayP99.toFixed(1)} ms`);
    if (lost.length + steady.broken.length > 0) process.exitCode = 1;
    return SCENES.map((scene) => ({
      bench: "neighbours",
      what: `p99 while another owner takes: ${scene} (promised: a ratio of 3)`,
      unit: "ms",
      values: [phases[scene]!.p99],
      floor: [phases["quiet"]!.p99],
      floorIs: "the same load while nobody does",
    }));
  } finally {
    await neighbours.setup.stop();
  }
}
