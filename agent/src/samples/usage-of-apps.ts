import { WINDOW_SECONDS } from "@svc/shared/rules/metrics/metrics-window.ts";
import type { ContainerUsage } from "../ports.ts";

/** The use of all containers of an app together in a window. */
export interface AppUsage {
  cpuMs: number;
  /** At the window's end. */
  memoryBytes: number;
  memoryBytesMax: number;
  networkBytesIn: number;
  networkBytesOut: number;
  restarts: number;
}

/** The counters of all containers at one time. */
export interface UsageReading {
  time: Date;
  containers: readonly ContainerUsage[];
}

/**
 * The use of each app between two readings, a window apart. The time on processors is brought to a whole window's, since a
 * reading is late by some milliseconds; a counter that began anew is counted from 0. An app is missing when one of its
 * containers can't be read, or ran before the first reading, which does not have it.
 */
export function usageOfApps(former: UsageReading, next: UsageReading): Map<string, AppUsage> {
  const before = new Map(former.containers.map((container) => [container.containerId, container]));
  const isWhole = (container: ContainerUsage): boolean =>
    before.has(container.containerId) || (container.startedAt !== undefined && container.startedAt >= former.time);
  const toWindow = (WINDOW_SECONDS * 1000) / (next.time.getTime() - former.time.getTime());

  const apps = Map.groupBy(
    next.containers.filter(({ role }) => role === "app"),
    ({ appId }) => appId,
  );
  return new Map(
    [...apps].flatMap(([appId, containers]) => {
      const used = containers.map((each) =>
        isWhole(each) ? usedSince(before.get(each.containerId), each) : undefined,
      );
      const known = used.filter((each) => each !== undefined);
      if (known.length < used.length) return [];
      const sum = known.reduce(addUsage);
      return [[appId, { ...sum, cpuMs: Math.round(sum.cpuMs * toWindow) }]];
    }),
  );
}

function usedSince(former: ContainerUsage | undefined, next: ContainerUsage): AppUsage | undefined {
  const { counters, memoryBytesMax, restartCount } = next;
  if (counters === undefined) return undefined;
  const from = former?.run === next.run ? former.counters : undefined;
  if (former?.run === next.run && from === undefined) return undefined;
  const since = (name: "cpuMs" | "networkBytesIn" | "networkBytesOut"): number =>
    Math.max(0, counters[name] - (from?.[name] ?? 0));
  // An owner's start begins the engine's count anew.
  const restartsBefore = former !== undefined && former.restartCount <= restartCount ? former.restartCount : 0;
  return {
    cpuMs: since("cpuMs"),
    memoryBytes: counters.memoryBytes,
    memoryBytesMax,
    networkBytesIn: since("networkBytesIn"),
    networkBytesOut: since("networkBytesOut"),
    restarts: restartCount - restartsBefore,
  };
}

function addUsage(a: AppUsage, b: AppUsage): AppUsage {
  return {
    cpuMs: a.cpuMs + b.cpuMs,
    memoryBytes: a.memoryBytes + b.memoryBytes,
    memoryBytesMax: a.memoryBytesMax + b.memoryBytesMax,
    networkBytesIn: a.networkBytesIn + b.networkBytesIn,
    networkBytesOut: a.networkBytesOut + b.networkBytesOut,
    restarts: a.restarts + b.restarts,
  };
}
