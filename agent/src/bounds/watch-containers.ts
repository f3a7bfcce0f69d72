import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { backoffMs } from "../platform/backoff.ts";
import { endedNotice, memoryError, memoryNotice, processError, processNotice } from "../engine/logs/app-notice.ts";
import type { ContainerEvent, ContainerState, Engine, OwnedContainer, ProcessRefusals } from "../ports.ts";
import type { AppNotices } from "../engine/logs/app-notices.ts";

/** The engine tells of one kill several times, within milliseconds. */
const SAME_KILL_MS = 1000;
/** A process manager in front of the app takes a moment to end after the kernel has ended the app. */
const END_AFTER_KILL_MS = 5_000;
const MINUTE_MS = 60_000;
/** A fork bomb meets its limit within a second and goes on; a look is one local request and a small file per container. */
const PROCESSES_LOOK_MS = 5000;

export interface ContainerWatchOptions {
  engine: Pick<Engine, "containerEvents" | "processRefusals" | "list">;
  notices: AppNotices;
  /**
   * Is told of each end of an app's container, before its owner is; `forMemory`: the kernel had ended a process of it.
   */
  onEnd?: (container: OwnedContainer, forMemory: boolean) => void;
  clock: Clock;
  log: Logger;
  /** Tells the operator; what was told of the same subject before is replaced. */
  report: (code: string, message: string, subject: string) => void;
  /** The engine may be gone: its events have ended, or can't be had. */
  onEventsEnd: () => void;
}

/**
 * Tells owner and operator of each app that reaches its limit of memory or of processes, and the owner of each end of a
 * container. Resolves when the signal aborts.
 */
export async function watchContainers(options: ContainerWatchOptions, signal: AbortSignal): Promise<void> {
  await Promise.all([watchEvents(options, signal), watchProcesses(options, signal)]);
}

async function watchEvents(options: ContainerWatchOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, log } = options;
  const take = createEventTaker(options);
  let since = clock.now();
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const event of engine.containerEvents({ since, signal })) {
        since = new Date(event.time.getTime() + 1);
        failures = 0;
        await take(event);
      }
    } catch (err) {
      if (failures === 0 && !signal.aborted) log.warn({ err }, "the engine's events can't be read");
    }
    failures += 1;
    options.onEventsEnd();
    await clock.sleep(backoffMs(failures), signal).catch(() => undefined);
  }
}

function createEventTaker(options: ContainerWatchOptions): (event: ContainerEvent) => Promise<void> {
  const { engine, notices, log, report, onEnd } = options;
  /** Container that runs → when it was last killed for its memory. */
  const lastKills = new Map<string, number>();
  /** Subject → its kills of the last minute. */
  const recentKills = new Map<string, number[]>();

  function isNewKill({ containerId, time }: ContainerEvent): boolean {
    const last = lastKills.get(containerId);
    if (last !== undefined && time.getTime() - last < SAME_KILL_MS) return false;
    lastKills.set(containerId, time.getTime());
    return true;
  }

  function countOfMinute(subject: string, time: Date): number {
    const from = time.getTime() - MINUTE_MS;
    for (const [each, times] of recentKills) if (times.at(-1)! <= from) recentKills.delete(each);
    const times = [...(recentKills.get(subject) ?? []).filter((at) => at > from), time.getTime()];
    recentKills.set(subject, times);
    return times.length;
  }

  return async (event) => {
    if (event.kind === "started" || event.kind === "signalled") return;
    if (event.kind === "ended") {
      const lastKill = lastKills.get(event.containerId) ?? -Infinity;
      lastKills.delete(event.containerId);
      if (event.role === "app") onEnd?.(event, event.time.getTime() - lastKill <= END_AFTER_KILL_MS);
      const restarts = restartsOf(await containerOf(engine, event));
      notices.add({ ...event, kind: "ended", text: endedNotice(event, event.exitCode, restarts) });
      return;
    }
    if (!isNewKill(event)) return;
    const limitBytes = (await containerOf(engine, event))?.memoryBytes;
    const subject = subjectOf(event);
    log.warn({ app: event.appName, appId: event.appId, role: event.role, limitBytes }, "an app ran out of memory");
    notices.add({ ...event, kind: "out_of_memory", text: memoryNotice(event, limitBytes) });
    report("out_of_memory", memoryError(event, limitBytes, countOfMinute(subject, event.time)), subject);
  };
}

/** Is undefined when it is gone. */
async function containerOf(
  engine: ContainerWatchOptions["engine"],
  { appId, containerId }: OwnedContainer,
): Promise<ContainerState | undefined> {
  const containers = await engine.list({ appId }).catch(() => []);
  return containers.find(({ id }) => id === containerId);
}

/** 0 of a container that has ended for good. */
function restartsOf(container: ContainerState | undefined): number {
  return container?.state === "restarting" || container?.state === "running" ? container.restartCount : 0;
}

async function watchProcesses(options: ContainerWatchOptions, signal: AbortSignal): Promise<void> {
  const { engine, notices, clock, log, report } = options;
  /** Container → its count; undefined before the first look, which tells nothing of what was before. */
  let former: Map<string, number> | undefined;
  let toldAt = new Map<string, number>();

  async function look(): Promise<void> {
    const found = await engine.processRefusals();
    const now = clock.now();
    const told = new Map(toldAt);
    for (const container of found) {
      const last = told.get(container.containerId) ?? -Infinity;
      if (!hasGrown(container, former) || now.getTime() - last < MINUTE_MS) continue;
      told.set(container.containerId, now.getTime());
      tell(container, now);
    }
    former = new Map(found.map(({ containerId, count }) => [containerId, count]));
    toldAt = new Map([...told].filter(([id]) => former?.has(id)));
  }

  function tell(container: ProcessRefusals, time: Date): void {
    const { appName, appId, role, processesMax } = container;
    log.warn({ app: appName, appId, role, processesMax }, "an app reached its limit of processes");
    notices.add({ ...container, kind: "process_limit", time, text: processNotice(container, processesMax) });
    report("process_limit", processError(container, processesMax), subjectOf(container));
  }

  const failing = "the processes of apps can't be looked at";
  await repeat({ everyMs: PROCESSES_LOOK_MS, failing, work: look, clock, log }, signal);
}

/** A container that was started again is counted from nothing. */
function hasGrown({ containerId, count }: ProcessRefusals, former: ReadonlyMap<string, number> | undefined): boolean {
  if (former === undefined) return false;
  const before = former.get(containerId) ?? 0;
  return count > (count < before ? 0 : before);
}

function subjectOf({ appId, role }: OwnedContainer): string {
  return `${appId} ${role}`;
}
