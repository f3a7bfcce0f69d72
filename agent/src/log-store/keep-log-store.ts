import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { toSvcError } from "@svc/shared/errors.ts";
import { DISK_WATERMARKS, shortageOf } from "@svc/shared/rules/disk-watermarks.ts";
import { isUp } from "../engine/containers/container-state.ts";
import type { ContainerState, Engine, Host } from "../ports.ts";
import { allBytesMax, segmentsToRemove, type PrunedSegment } from "./bounds.ts";
import type { StoredSegment } from "./app-store.ts";
import type { LogStore } from "./log-store.ts";

/** The pause between two rounds. The engine holds 30 MB of each container meanwhile. */
const ROUND_MS = 5_000;
/** The rest after a round is at least so many times as long as the round took, up to a bound: floods of many apps take their turns. */
const REST_FACTOR = 2;
const REST_MS_MAX = 30_000;
const PRUNE_MS = 60_000;

interface Options {
  store: LogStore;
  engine: Pick<Engine, "list">;
  host: Pick<Host, "disk">;
  directory: string;
  clock: Clock;
  log: Logger;
}

/** Stores what apps write, round by round, and removes what is old or too much; resolves when the signal aborts. */
export async function keepLogStore(options: Options, signal: AbortSignal): Promise<void> {
  const { store, engine, host, directory, clock, log } = options;
  /** Containers that have ended and whose logs are stored to the end, by the time of their start. */
  let ended = new Map<string, number | undefined>();

  async function collect(): Promise<number> {
    const startedAt = performance.now();
    if (!store.isPaused) await collectAll();
    return Math.max(ROUND_MS, Math.min(REST_MS_MAX, REST_FACTOR * (performance.now() - startedAt)));
  }

  async function collectAll(): Promise<void> {
    const containers = await engine.list({ role: "app" });
    const hasEnded = ({ id, startedAt }: ContainerState): boolean =>
      ended.has(id) && ended.get(id) === startedAt?.getTime();
    const due = containers.filter((container) => !hasEnded(container));
    let failure: unknown;
    for (const [appId, own] of Map.groupBy(due, (container) => container.appId)) {
      if (signal.aborted) return;
      try {
        const count = await store.collect(appId, own);
        if (count > 0) continue;
        for (const each of own) if (!isUp(each.state)) ended.set(each.id, each.startedAt?.getTime());
      } catch (error) {
        // A container that was removed meanwhile: its last lines were stored before.
        if (toSvcError(error).code !== "not_found") failure = error;
      }
    }
    const known = new Set(containers.map(({ id }) => id));
    ended = new Map([...ended].filter(([id]) => known.has(id)));
    if (failure !== undefined) throw failure;
  }

  async function prune(): Promise<void> {
    const disk = await host.disk(directory);
    const isShort = shortageOf(disk, DISK_WATERMARKS) !== undefined;
    store.isPaused = isShort;
    const appIds = await store.appIds();
    const all: PrunedSegment[] = [];
    const failures: unknown[] = [];
    // An app whose files fail holds up no other: the disk is freed all the same.
    const attempt = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => failures.push(error));
    for (const appId of appIds)
      await attempt(store.segments(appId).then((found) => all.push(...found.map(prunedOf(appId)))));
    const bytes = all.reduce((sum, segment) => sum + segment.bytes, 0);
    const bounds = { now: clock.now(), bytesMax: allBytesMax(disk.totalBytes, bytes, isShort) };
    for (const [appId, own] of Map.groupBy(segmentsToRemove(all, bounds), (segment) => segment.appId)) {
      await attempt(
        store.removeSegments(
          appId,
          own.map(({ path }) => path),
        ),
      );
    }
    // Closes what no container writes to any more; that needs room for a moment.
    for (const appId of appIds) await attempt(store.collect(appId, []));
    if (failures.length > 0) throw failures[0];
  }

  const collecting = "the logs of apps are not stored; this is tried again";
  const pruning = "old logs of apps are not removed yet";
  await Promise.all([
    repeat({ everyMs: ROUND_MS, failing: collecting, work: collect, clock, log }, signal),
    repeat({ everyMs: PRUNE_MS, failing: pruning, work: prune, clock, log }, signal),
  ]);
}

/** A line's time may be wrong, but none was written after its segment was closed. */
function prunedOf(appId: string): (segment: StoredSegment) => PrunedSegment {
  return ({ path, bytes, last, closedAt = last }) => ({ appId, path, bytes, last: Math.min(last, closedAt) });
}
