import type { ContainerState, ContainerUsage } from "../ports.ts";
import type { DummyEngineKnobs } from "./engine-knobs.ts";

/** The usage of those that run, or wait to be started again. */
export function usageOf(states: readonly ContainerState[], countersOf: DummyEngineKnobs["counters"]): ContainerUsage[] {
  return states
    .filter(({ state }) => state === "running" || state === "restarting")
    .map(({ id: containerId, appId, appName, role, startedAt, restartCount, memoryBytes: memoryBytesMax }) => {
      const run = `${containerId} ${startedAt?.getTime()}`;
      const counters = countersOf(containerId);
      return { containerId, appId, appName, role, run, startedAt, restartCount, memoryBytesMax, counters };
    });
}
