import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import {
  addUses,
  excessOf,
  fillersOf,
  stopSentence,
  type DiskLimits,
  type MeasuredPlace,
} from "../engine/disk-limits.ts";
import {
  DISK_WATERMARKS,
  LAST_WATERMARKS,
  shortageOf,
  type DiskSpace,
  type DiskWatermarks,
  type Shortage,
} from "@svc/shared/rules/disk-watermarks.ts";
import type { Engine, Host, Proxy, StoragePlace } from "../ports.ts";
import { DatabaseGrace } from "./database-grace.ts";
import { measureDeletedFiles } from "./deleted-files.ts";
import { DiskLedger } from "./disk-ledger.ts";
import { measureTrees } from "./measure-trees.ts";
import { endWriters, finishRemovals, recordStop, type MadeStop } from "./stop-offender.ts";

/** A fast disk takes a gigabyte in that time. */
const LOOK_MS = 500;

/** A fall of free space between two rounds after which all small containers are looked at: an eighth of an app's share. */
const FALL_BYTES = 256 * 1024 ** 2;
const FALL_FILES = 20_000;

/** The rest between two rounds is so many times as long as the last one took, however much there is to measure. */
const REST_FACTOR = 4;
/** The same while the disk is nearly full. */
const REST_FACTOR_URGENT = 1;

export interface DiskWatchOptions {
  engine: Pick<Engine, "describe" | "list" | "remove" | "stop" | "storage">;
  proxy: Pick<Proxy, "routes" | "updateRoutes">;
  /** Is told of containers that are being stopped, and whose routes do not say so yet: nobody starts them again. */
  heldBack: Set<string>;
  host: Pick<Host, "disk">;
  limits: DiskLimits;
  watermarks?: DiskWatermarks;
  /** Below them builds are refused, for everybody: what exceeds its limit goes then. */
  buildWatermarks?: DiskWatermarks;
  clock: Clock;
  log: Logger;
  /** Tells the operator. */
  report: (code: string, message: string) => void;
}

/**
 * Keeps apps and databases from filling the engine's disk: stops an app that exceeds its limit and, when the disk is
 * nearly full all the same, the one that fills it. Resolves when the signal aborts. See control-plane/decisions/014.
 */
export async function watchDisk(options: DiskWatchOptions, signal: AbortSignal): Promise<void> {
  const { engine, host, limits, clock, log, report } = options;
  const { watermarks = LAST_WATERMARKS, buildWatermarks = DISK_WATERMARKS } = options;
  const ledger = new DiskLedger();
  const grace = new DatabaseGrace();
  /** Stops whose routes could not be written yet: the agent's own disk may be the one that is full. */
  let unrecorded: MadeStop[] = [];
  let directory: string | undefined;
  /** The disk's space at the last round. */
  let former: DiskSpace | undefined;
  let restUntil = 0;
  let nextRoundAt = 0;
  let isNobodyReported = false;

  async function look(): Promise<void> {
    await recordStops();
    directory ??= (await engine.describe()).dataDirectory;
    const disk = await host.disk(directory);
    const now = performance.now();
    const shortage = shortageOf(disk, watermarks);
    if (!shortage) isNobodyReported = false;
    // A disk that no app fills may stay full for days.
    const isUrgent = shortage !== undefined && !isNobodyReported;
    const pace = isUrgent ? "urgent" : former !== undefined && fallsFast(former, disk) ? "hasty" : "calm";
    if (now < restUntil || (pace === "calm" && now < nextRoundAt)) return;
    former = disk;
    const places = await engine.storage();
    await finishRemovals(options, places);
    const due = ledger.due(places, now, pace);
    await measure(due, places);
    const endedAt = performance.now();
    restUntil = endedAt + (endedAt - now) * (isUrgent ? REST_FACTOR_URGENT : REST_FACTOR);
    const measured = ledger.measured(places);
    nextRoundAt = ledger.nextDueAt(endedAt, pace);
    const looked = new Set(due.map(({ containerId }) => containerId));
    const isAnyStopped = await stopExcesses(
      measured.filter(({ containerId }) => looked.has(containerId)),
      shortageOf(disk, buildWatermarks) !== undefined,
    );
    if (shortage && !isAnyStopped) await stopFiller(measured, disk, shortage);
  }

  async function measure(due: readonly StoragePlace[], all: readonly StoragePlace[]): Promise<void> {
    const [trees, deleted] = await Promise.all([
      measureTrees([...new Set(due.flatMap(({ paths }) => paths))], signal),
      measureDeletedFiles(new Set(all.map(({ containerId }) => containerId))),
    ]);
    for (const { containerId, paths } of due) {
      const uses = paths.map((path) => trees.get(path)).filter((use) => use !== undefined);
      // A container that is being removed loses one directory after the other.
      if (uses.length < paths.length) continue;
      const deletedUse = deleted.get(containerId);
      ledger.record(containerId, addUses(deletedUse ? [...uses, deletedUse] : uses), performance.now());
    }
  }

  /** @param frees whether what they wrote goes too */
  async function stopExcesses(places: readonly MeasuredPlace[], frees: boolean): Promise<boolean> {
    let isAnyStopped = false;
    for (const place of places) {
      const shortage = excessOf(place.use, grace.limitOf(place, limits));
      if (!shortage) continue;
      if (await stop(place, { shortage, limits }, frees)) isAnyStopped = true;
      grace.renew(place, limits);
    }
    return isAnyStopped;
  }

  async function stopFiller(places: readonly MeasuredPlace[], disk: DiskSpace, shortage: Shortage): Promise<void> {
    for (const place of fillersOf(places, shortage, { bytes: disk.totalBytes, files: disk.inodesTotal })) {
      if (await stop(place, { shortage }, true)) return;
    }
    if (isNobodyReported) return;
    isNobodyReported = true;
    report(
      "disk_full",
      "The disk of the container engine is nearly full, and no app fills it: free space on the server.",
    );
  }

  async function stop(
    place: MeasuredPlace,
    cause: { shortage: Shortage; limits?: DiskLimits },
    frees: boolean,
  ): Promise<boolean> {
    const at = clock.now().toISOString();
    const removesContainer = frees && place.role === "app";
    const detail = stopSentence(place, { ...cause, isRemoved: removesContainer });
    const containerIds = await endWriters(options, place, removesContainer, clock);
    if (containerIds.size === 0) return false;
    unrecorded.push({ appId: place.appId, containerIds, stop: { reason: "disk_limit", detail, at, removesContainer } });
    log.warn(
      { app: place.appName, appId: place.appId, role: place.role, use: place.use, frees },
      "stopped an app: disk",
    );
    report("disk_limit", detail);
    await recordStops();
    return true;
  }

  async function recordStops(): Promise<void> {
    for (const made of unrecorded) {
      await recordStop(options, made);
      unrecorded = unrecorded.filter((other) => other !== made);
    }
  }

  async function lookAnew(): Promise<void> {
    try {
      await look();
    } catch (error) {
      // An engine that comes back may have another directory.
      directory = undefined;
      throw error;
    }
  }

  const failing = "what apps take of the disk can't be looked at";
  // A disk fills on while nobody can look at it: the first look that succeeds may not come late.
  await repeat({ everyMs: LOOK_MS, retryMsMax: LOOK_MS, failing, work: lookAnew, clock, log }, signal);
}

function fallsFast(former: DiskSpace, { availableBytes, inodesAvailable }: DiskSpace): boolean {
  return former.availableBytes - availableBytes > FALL_BYTES || former.inodesAvailable - inodesAvailable > FALL_FILES;
}
