import { setTimeout as delay } from "node:timers/promises";
import { startOwnEngine } from "../../support/engine/own-engine.ts";
import { startNeighbours, type Scene } from "../../support/load/neighbours.ts";
import type { Figure } from "../figures.ts";

/** Requests a second, each of which stores a row: what two cores hold beside an attack that has a core of its own. */
const PER_SECOND = 60;
/** Connections, certificates, compiled code. */
const WARM_UP_MS = 8_000;
/** Behind each attempt: the engine removes what the app has left, which is neither the attempt nor quiet. */
const AFTERMATH_MS = 15_000;
/** Before each attempt, so that what else the machine does falls on both; all of them together are the floor. */
const QUIET_MS = 20_000;
/** An attempt that ends sooner is made again: below some hundred requests, the 99th percentile is the slowest one. */
const ATTEMPT_MS_MIN = 10_000;
/** The median of them is what counts. */
const ROUNDS = 3;
/** Images, layers and databases. */
const DISK_MEGABYTES = 6_000;
/** Scenes that an owner can cause but once: domains stay registered. */
const ONCE: ReadonlySet<Scene> = new Set(["certificates"]);

/**
 * The load of one owner's app while nothing happens, and while another owner's app tries to use its host up, in turns. A
 * request that is lost makes the exit status 1. The engine's disk is in memory: that of a shared machine has slow moments of its
 * own, in which each commit takes ten times as long.
 */
export async function benchNeighbours(scenes: readonly Scene[]): Promise<Figure[]> {
  const engine = await startOwnEngine({
    images: ["node:22-slim", "postgres:16"],
    reachable: true,
    diskMegabytes: DISK_MEGABYTES,
    inMemory: true,
  });
  try {
    // Routing rules are this machine's, and the engine is in a network namespace of its own.
    return await benchOn({ DOCKER_HOST: engine.host, SVC_ADDRESS_BLOCK: engine.block, SVC_ISOLATION: "off" }, scenes);
  } finally {
    await engine.stop();
  }
}

async function benchOn(agent: Record<string, string>, scenes: readonly Scene[]): Promise<Figure[]> {
  const neighbours = await startNeighbours(agent);
  try {
    const load = await neighbours.startLoad(PER_SECOND);
    await delay(WARM_UP_MS);
    const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
    for (const round of rounds) {
      for (const scene of scenes) {
        if (round > 1 && ONCE.has(scene)) continue;
        load.phase("quiet");
        await delay(QUIET_MS);
        load.phase(`${scene} ${round}`);
        const began = performance.now();
        do await neighbours.play(scene);
        while (performance.now() - began < ATTEMPT_MS_MIN && !ONCE.has(scene));
        load.phase(`after ${scene} ${round}`);
        await delay(AFTERMATH_MS);
      }
    }
    const { phases, steady, ownDelayP99 } = await load.stop();
    const lost = Object.values(phases).flatMap((phase) => Object.entries(phase.lost));
    for (const [kind, times] of lost) console.log(`lost ${times} times: ${kind}`);
    for (const reason of steady.broken.slice(0, 10)) console.log(`broken: ${reason}`);
    console.log(`The load's own delay, p99: ${ownDelayP99.toFixed(1)} ms`);
    if (lost.length + steady.broken.length > 0) process.exitCode = 1;
    const { quiet } = phases;
    if (!quiet) throw new Error("the load reported no quiet phase");
    const p99 = (phase: string): number[] => rounds.flatMap((round) => phases[`${phase} ${round}`]?.p99 ?? []);
    const figure = (what: string, phase: string): Figure => ({
      bench: "neighbours",
      what: `p99 ${what} (promised: a ratio of 3)`,
      unit: "ms",
      values: p99(phase),
      floor: [quiet.p99],
      floorIs: "the same load in all the times between",
    });
    return scenes.flatMap((scene) => [
      figure(`while another owner takes: ${scene}`, scene),
      figure(`in the ${AFTERMATH_MS / 1000} s after that: ${scene}`, `after ${scene}`),
    ]);
  } finally {
    await neighbours.setup.stop();
  }
}
