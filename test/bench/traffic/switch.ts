import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { PhaseResult } from "../../support/load/tally.ts";
import { startLoadedPlatform, type LoadedPlatform } from "../../support/load/platform-load.ts";
import type { MixedLoadResult } from "../../support/load/mixed-load.ts";
import type { Figure } from "../figures.ts";

/** Quick requests a second: what two cores hold with the load's own process, a build and the daemons beside it. */
const PER_SECOND = 400;
/** Eight of them are open at a time, so that each switch meets some. */
const SLOW_EVERY_MS = 600;
/** From one change to the next, if it does not take longer: 32 changes make more than 50,000 requests. */
const PACE_MS = 4_200;
/** Connections, certificates, compiled code. */
const WARM_UP_MS = 5_000;
/** Quiet and changing times take turns, so that what else the machine does falls on both. */
const CHANGES_IN_TURN = 8;
/** Until what was replaced is drained, stopped and removed: it belongs to the changes. */
const SETTLE_MS = 12_000;

type Change = keyof Pick<LoadedPlatform, "redeploy" | "failedDeploy" | "rollback"> | "SIGTERM" | "SIGKILL";

/** 20 redeploys, 5 failed deploys, 5 rollbacks and two restarts of the agent, mixed; the rollbacks have where to go. */
const ROUND: readonly Change[] = ["redeploy", "redeploy", "failedDeploy", "redeploy", "rollback", "redeploy"];
const CHANGES: readonly Change[] = [...ROUND, "SIGTERM", ...ROUND, ...ROUND, "SIGKILL", ...ROUND, ...ROUND];

/**
 * The same load in one run while nothing happens, and while its app is changed all the time, in turns. A lost request,
 * or a broken stream of the other app, makes the exit status 1.
 */
export async function benchSwitch(): Promise<Figure[]> {
  // A few changes are enough to try the benchmark itself.
  const changes = process.env["BENCH_SHORT"] === undefined ? CHANGES : CHANGES.slice(0, 3);
  const loaded = await startLoadedPlatform();
  try {
    await loaded.redeploy();
    const load = await loaded.startLoad(PER_SECOND, SLOW_EVERY_MS);
    await delay(WARM_UP_MS);
    const took: string[] = [];
    for (let first = 0; first < changes.length; first += CHANGES_IN_TURN) {
      const turn = changes.slice(first, first + CHANGES_IN_TURN);
      load.phase("quiet");
      await delay(turn.length * PACE_MS);
      load.phase("changing");
      for (const change of turn) {
        const began = performance.now();
        await (change === "SIGTERM" || change === "SIGKILL" ? loaded.restartAgent(change) : loaded[change]());
        const ms = Math.round(performance.now() - began);
        took.push(`${change} ${ms}`);
        await delay(Math.max(0, PACE_MS - ms));
      }
      load.phase("settling");
      await delay(SETTLE_MS);
    }
    const result = await load.stop();
    report(result, took);
    const { quiet, changing, settling } = result.phases;
    if (!quiet || !changing || !settling) throw new Error("the load reported no phases");
    const isLossless =
      Object.keys({ ...quiet.lost, ...changing.lost, ...settling.lost }).length + result.steady.broken.length === 0;
    if (!isLossless) process.exitCode = 1;
    return [
      figure("p50 while changing", [changing.p50], [quiet.p50]),
      figure("p99 while changing", [changing.p99], [quiet.p99]),
    ];
  } finally {
    await loaded.setup.stop();
  }
}

function figure(what: string, values: number[], floor: number[]): Figure {
  return { bench: "switch", what, unit: "ms", values, floor, floorIs: "the same load while nothing is changed" };
}

function report({ phases, steady, ownDelayP99 }: MixedLoadResult, took: string[]): void {
  const round = (value: number): number => Math.round(value * 10) / 10;
  const row = ({ seconds, sent, answered, lost, p50, p99, longest, releases }: PhaseResult) => ({
    seconds: Math.round(seconds),
    sent,
    answered,
    lost: sent - answered,
    why: JSON.stringify(lost),
    "p50 ms": round(p50),
    "p99 ms": round(p99),
    "longest ms": round(longest),
    releases: releases.length,
  });
  console.table(Object.fromEntries(Object.entries(phases).map(([name, phase]) => [name, row(phase)])));
  console.table(phases["changing"]?.kinds);
  console.log(`Changes, in ms: ${took.join(", ")}`);
  console.log(
    `The other app's streams: ${steady.events} events, ${steady.echoes} echoes, broken: ${steady.broken.length}`,
  );
  for (const reason of steady.broken.slice(0, 10)) console.log(`  ${reason}`);
  console.log(
    `The load's own delay, p99: ${round(ownDelayP99)} ms; the machine's load now: ${loadavg().map(round).join(" ")}`,
  );
  console.log(
    JSON.stringify({ switch: { phases, steady: { ...steady, broken: steady.broken.slice(0, 10) }, ownDelayP99 } }),
  );
}
