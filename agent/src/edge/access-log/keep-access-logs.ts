import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { parseAccessEntry, type AccessEntry } from "./access-entry.ts";
import type { LogLine, Proxy } from "../../ports.ts";
import type { AppLogs } from "./app-logs.ts";
import { isInRolledLog, readRolledLog, type LogPosition, type RolledLogOptions } from "./rolled-log.ts";

/** The pause between two looks: what one who follows waits at most. */
const LOOK_MS = 500;
/** So many lines at once, and there are more: the host is busy, or the agent was away. */
const BEHIND_LINES = 2_000;
const BEHIND_LOOK_MS = 20;
/** This is as long as the last dump of a database. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000;
const CLEAN_UP_EVERY_MS = 60 * 60 * 1000;

export interface AccessObserver {
  requestAnswered(appId: string, entry: AccessEntry): void;
  /** Is told of a request again that was told of before the agent was started, as far as the proxy's log goes back. */
  requestAnsweredBefore?(appId: string, entry: AccessEntry): void;
  /** All requests that were logged before this time have been told of. */
  logReadUntil?(time: Date): void;
}

interface Options {
  logs: AppLogs;
  source: RolledLogOptions;
  proxy: Pick<Proxy, "routes">;
  /** Where it says how far it has read. */
  positionFile: string;
  observers: readonly AccessObserver[];
  clock: Clock;
  log: Logger;
}

/**
 * Sorts what the proxy has answered into the apps' logs and metrics, until the signal. What was answered while no agent
 * ran is sorted afterwards; an agent that is killed may write its last lines again.
 */
export async function keepAccessLogs(options: Options, signal: AbortSignal): Promise<void> {
  const { logs, source, positionFile, observers, clock, log } = options;
  let position = await readPosition(positionFile);
  let cleanedUpAt = 0;
  if (position)
    await tellAgain(options, position).catch((err: unknown) => log.warn({ err }, "former requests are not counted"));

  async function sortNext(): Promise<number> {
    const lookedAt = clock.now();
    const next = await readRolledLog(source, position);
    const isBehind = next.lines.length >= BEHIND_LINES;
    const failure = next.lines.length > 0 ? await sort(next.lines, options) : undefined;
    const readUntil = next.lines.length > 0 ? lastTimeOf(next.lines) : lookedAt;
    if (readUntil) for (const observer of observers) observer.logReadUntil?.(readUntil);
    const hasMoved = next.position?.file !== position?.file || next.position?.offset !== position?.offset;
    position = next.position;
    if (position && hasMoved) await writePosition(positionFile, position);
    if (clock.now().getTime() - cleanedUpAt > CLEAN_UP_EVERY_MS) {
      cleanedUpAt = clock.now().getTime();
      await logs.removeOlderThan(KEEP_MS, clock.now());
    }
    if (failure !== undefined) throw failure;
    return isBehind ? BEHIND_LOOK_MS : LOOK_MS;
  }

  const failing = "the access logs are not kept; this is tried again";
  await repeat({ everyMs: LOOK_MS, failing, work: sortNext, clock, log }, signal);
}

/** An observer's memory went with the agent's process; what it has told of nobody yet is in the proxy's log. */
async function tellAgain({ source, proxy, observers }: Options, until: LogPosition): Promise<void> {
  // Where the file is gone, all that is there is sorted anew in any case.
  if (!(await isInRolledLog(source, until))) return;
  let position: LogPosition | undefined;
  for (;;) {
    const next = await readRolledLog(source, position, until);
    if (next.lines.length === 0) return;
    ({ position } = next);
    for (const { appId, entry } of await entriesOf(next.lines, proxy)) {
      for (const observer of observers) observer.requestAnsweredBefore?.(appId, entry);
    }
  }
}

/** The lines that are requests to an app. */
async function entriesOf(
  lines: readonly string[],
  proxy: Options["proxy"],
): Promise<{ appId: string; entry: AccessEntry }[]> {
  const appOf = new Map((await proxy.routes()).map(({ host, appId }) => [host, appId]));
  return lines.flatMap((line) => {
    const entry = parseAccessEntry(line);
    const appId = entry && appOf.get(entry.host);
    return entry && appId !== undefined ? [{ appId, entry }] : [];
  });
}

/** @returns why lines could not be written, if so: on a full disk they are left out, rather than counted again */
async function sort(lines: readonly string[], { logs, proxy, observers }: Options): Promise<unknown> {
  const byApp = new Map<string, LogLine[]>();
  for (const { appId, entry } of await entriesOf(lines, proxy)) {
    for (const observer of observers) observer.requestAnswered(appId, entry);
    const own = byApp.get(appId) ?? [];
    own.push({ time: entry.time, text: entry.text });
    byApp.set(appId, own);
  }
  let failure: unknown;
  for (const [appId, own] of byApp) {
    try {
      logs.append(appId, own);
    } catch (error) {
      failure = error;
    }
  }
  return failure;
}

function lastTimeOf(lines: readonly string[]): Date | undefined {
  return parseAccessEntry(lines.at(-1)!)?.time;
}

/** Unlike other state it is not forced to the disk: after a crash of the host some lines are written twice. */
async function writePosition(file: string, position: LogPosition): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(position), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readPosition(file: string): Promise<LogPosition | undefined> {
  try {
    const { file: id, offset } = JSON.parse(await readFile(file, "utf8")) as Partial<
      Record<keyof LogPosition, unknown>
    >;
    const isPosition = typeof id === "string" && typeof offset === "number" && Number.isSafeInteger(offset);
    return isPosition ? { file: id, offset } : undefined;
  } catch {
    return undefined;
  }
}

/** The folder in the agent's data directory. */
export function accessPositionFile(dataDirectory: string): string {
  return join(dataDirectory, "access-position.json");
}
