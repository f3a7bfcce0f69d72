import { setTimeout as delay } from "node:timers/promises";
import { noticeLine, type AppNotice } from "./app-notice.ts";
import type { ContainerState, Engine, LogLine } from "../../ports.ts";
import type { AppNotices } from "./app-notices.ts";

/** Lines of 16 KiB, the engine's longest, fill less than the 1 MiB that one message of the wire carries. */
const BATCH_LINES_MAX = 50;
/** The history of a log that is followed is over when nothing comes for a moment, or after a second of an app that writes on. */
const HISTORY_MS_MAX = 1000;
const SILENCE_MS = 100;
/** The engine ends a container's log and tells of its end at nearly the same time; a busy machine is seconds late. */
const END_MS_MAX = 5000;

export interface NoticedLogOptions {
  lines: number;
  follow: boolean;
  signal: AbortSignal;
}

interface Sources {
  engine: Pick<Engine, "logs">;
  notices: AppNotices;
}

/**
 * The container's last lines and the platform's notices of it in the order of time, together no more than `lines`; with
 * `follow` both as they come, until the container's end or the signal.
 */
export async function* readNoticedLogs(
  sources: Sources,
  container: ContainerState,
  options: NoticedLogOptions,
): AsyncGenerator<LogLine[]> {
  yield* options.follow ? follow(sources, container, options) : readEnd(sources, container, options);
}

async function* readEnd(
  { engine, notices }: Sources,
  container: ContainerState,
  options: NoticedLogOptions,
): AsyncGenerator<LogLine[]> {
  const kept = notices.of(shown(container)).map(noticeLine);
  if (kept.length === 0) return yield* engine.logs(container.id, options);
  const history: LogLine[] = [];
  for await (const batch of engine.logs(container.id, options)) history.push(...batch);
  yield* inBatches(mergeByTime(history, kept).slice(-options.lines));
}

async function* follow(
  { engine, notices }: Sources,
  container: ContainerState,
  options: NoticedLogOptions,
): AsyncGenerator<LogLine[]> {
  const told = new ToldNotices(notices, container);
  const log = engine.logs(container.id, options)[Symbol.asyncIterator]();
  try {
    const kept = notices.of(shown(container)).map(noticeLine);
    const history: LogLine[] = [];
    let next = nextOf(log);
    const deadline = performance.now() + HISTORY_MS_MAX;
    while (kept.length > 0 && history.length < options.lines) {
      const leftMs = deadline - performance.now();
      const batch = await within(next, history.length === 0 ? leftMs : Math.min(leftMs, SILENCE_MS));
      if (!batch || batch.done) break;
      history.push(...batch.value);
      next = nextOf(log);
    }
    yield* inBatches(mergeByTime(history, kept).slice(-options.lines));
    for (;;) {
      const batch = await Promise.race([next, told.more()]);
      if (told.waiting.length > 0) yield told.take();
      if (!batch) continue;
      if (batch.done) break;
      yield batch.value;
      next = nextOf(log);
    }
    if (container.state !== "running" || options.signal.aborted) return;
    await within(told.end, END_MS_MAX);
    if (told.waiting.length > 0) yield told.take();
  } finally {
    told.leave();
    await log.return?.();
  }
}

/** The notices of a container that come from now on. */
class ToldNotices {
  readonly waiting: LogLine[] = [];
  readonly leave: () => void;
  /** Resolves when the container has ended. */
  readonly end: Promise<void>;
  #wake: () => void = () => undefined;

  constructor(notices: AppNotices, container: ContainerState) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.end = promise;
    this.leave = notices.listen(shown(container), (notice: AppNotice) => {
      this.waiting.push(noticeLine(notice));
      if (this.waiting.length > BATCH_LINES_MAX) this.waiting.shift();
      if (notice.kind === "ended" && notice.containerId === container.id) resolve();
      this.#wake();
    });
  }

  take(): LogLine[] {
    return this.waiting.splice(0);
  }

  /** Resolves when there is one. */
  more(): Promise<undefined> {
    if (this.waiting.length > 0) return Promise.resolve(undefined);
    return new Promise((resolve) => (this.#wake = () => resolve(undefined)));
  }
}

/** Each notice stands before the first line that is newer; the lines stay in their order. */
function mergeByTime(lines: readonly LogLine[], notices: readonly LogLine[]): LogLine[] {
  const merged = [...lines];
  for (const notice of notices) {
    const next = merged.findIndex(({ time }) => time > notice.time);
    merged.splice(next === -1 ? merged.length : next, 0, notice);
  }
  return merged;
}

/** Splits the lines into messages of the wire. */
export function* inBatches(lines: readonly LogLine[]): Generator<LogLine[]> {
  for (let first = 0; first < lines.length; first += BATCH_LINES_MAX) yield lines.slice(first, first + BATCH_LINES_MAX);
}

/** A failure is thrown where it is waited for, also when that is later. */
function nextOf(log: AsyncIterator<LogLine[]>): Promise<IteratorResult<LogLine[], undefined>> {
  const next = log.next();
  next.catch(() => undefined);
  return next;
}

/** Is undefined when it takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  return Promise.race([work, late]).finally(() => timer.abort());
}

function shown({ id, appId }: ContainerState): { appId: string; containerId: string } {
  return { appId, containerId: id };
}
