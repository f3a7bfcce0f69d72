import type { Logger } from "@svc/shared/platform/logger.ts";
import type { AppNotices } from "./app-notices.ts";
import { readNoticedLogs } from "./noticed-logs.ts";
import type { ContainerState, Engine, LogLine, StoragePlace } from "../../ports.ts";
import { FORMER_LINES_MAX, type FormerLogs } from "./former-logs.ts";

/** Reading 500 lines takes milliseconds. A removal that frees a full disk waits for no longer than this. */
const READ_MS_MAX = 3_000;

interface Options {
  engine: Engine;
  notices: AppNotices;
  formerLogs: FormerLogs;
  /** Stores what a container has written that was not stored yet. @returns how many lines; the rest is stored by further calls */
  storeRest: (container: ContainerState) => Promise<number>;
  log: Logger;
}

/**
 * The engine, which keeps an app container's log whoever removes it, its end apart, and counts what it has kept of an app as
 * part of what the app takes of the disk. A log that can't be kept never holds up a removal.
 */
export function keepLogsOnRemoval({ engine, notices, formerLogs, storeRest, log }: Options): Engine {
  async function keepLog(id: string): Promise<void> {
    const container = (await engine.list({ role: "app" })).find((each) => each.id === id);
    if (!container) return;
    const lines: LogLine[] = [];
    const options = { lines: FORMER_LINES_MAX, follow: false, signal: AbortSignal.timeout(READ_MS_MAX) };
    for await (const batch of readNoticedLogs({ engine, notices }, container, options)) lines.push(...batch);
    await formerLogs.keep(container, lines);
    const deadline = performance.now() + READ_MS_MAX;
    while ((await storeRest(container)) > 0 && performance.now() < deadline);
  }

  async function remove(id: string): Promise<void> {
    await keepLog(id).catch((err: unknown) => log.warn({ err, container: id }, "the log of a container is not kept"));
    await engine.remove(id);
  }

  function withFormerLogs(place: StoragePlace): StoragePlace {
    if (place.role !== "app" || !formerLogs.isThere(place.appId)) return place;
    return { ...place, paths: [...place.paths, formerLogs.directoryOf(place.appId)] };
  }

  const storage = async (): Promise<StoragePlace[]> => (await engine.storage()).map(withFormerLogs);

  // All else is the engine's own.
  return Object.assign(Object.create(engine) as Engine, { remove, storage });
}
