import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { MetricsWindowSchema, type MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { WINDOW_SECONDS, WINDOWS_KEPT_SECONDS, windowOf } from "@svc/shared/rules/metrics/metrics-window.ts";
import { countRequest, noRequests, type AnsweredRequests } from "./answered-requests.ts";
import type { AppUsage } from "./usage-of-apps.ts";

/** The proxy's log is in the order of time but for requests that end at the same moment. Seconds. */
const DISORDER_SECONDS = 1;

/** A window whose requests can't be read is closed without them after this time. Seconds. */
const LOG_PATIENCE_SECONDS = 60;

/** The engine answers within this time, or not at all. Seconds. */
const USAGE_PATIENCE_SECONDS = 15;

interface OpenWindow {
  requests: Map<string, AnsweredRequests>;
  usage: ReadonlyMap<string, AppUsage>;
}

/** An answer of the proxy. */
export interface Answered {
  time: Date;
  status: number;
  seconds: number;
}

/**
 * The windows that are still counted. A request belongs to the window in which its answer was logged; one whose window is
 * closed is counted in the oldest that is not, so that none is lost. A window is closed when its requests and what apps have
 * used in it are known.
 */
export class OpenWindows {
  readonly #windows = new Map<number, OpenWindow>();
  readonly #onClosed: (window: MetricsWindow) => void;
  readonly #clock: Clock;
  readonly #openedAt: number;
  // Times in seconds since 1970.
  #logReadUntil = -Infinity;
  #usageReadUntil = -Infinity;
  /** The beginning of the newest window that is closed. */
  #closed = -Infinity;

  constructor(clock: Clock, onClosed: (window: MetricsWindow) => void) {
    this.#clock = clock;
    this.#openedAt = secondsOf(clock.now());
    this.#onClosed = onClosed;
  }

  /** Counts a request. One that was answered over an hour ago is left out: nobody keeps its window. */
  requestAnswered(appId: string, answered: Answered): void {
    const [at, current] = [windowOf(secondsOf(answered.time)), windowOf(secondsOf(this.#clock.now()))];
    if (at <= current - WINDOWS_KEPT_SECONDS) return;
    const { requests } = this.#window(Math.max(this.#closed + WINDOW_SECONDS, Math.min(at, current)));
    const counted = requests.get(appId) ?? noRequests();
    requests.set(appId, counted);
    countRequest(counted, answered);
  }

  /** All requests that were logged before this time have been counted. */
  logReadUntil(time: Date): void {
    this.#logReadUntil = secondsOf(time);
    this.#closeEnded();
  }

  /** Notes what apps have used in the window that ended then; nothing where it is not known. Seconds since 1970. */
  usageReadUntil(end: number, usage: ReadonlyMap<string, AppUsage> = new Map()): void {
    const start = end - WINDOW_SECONDS;
    if (start > this.#closed && usage.size > 0) this.#window(start).usage = usage;
    this.#usageReadUntil = end;
    this.#closeEnded();
  }

  /** The host's clock was ahead, and is at this time now. */
  setBack(now: Date): void {
    const current = windowOf(secondsOf(now));
    this.#closed = Math.min(this.#closed, current - WINDOW_SECONDS);
    for (const start of this.#windows.keys()) if (start > current) this.#windows.delete(start);
  }

  #closeEnded(): void {
    const now = secondsOf(this.#clock.now());
    const isPatient = now - this.#openedAt < LOG_PATIENCE_SECONDS;
    const logged = Math.max(this.#logReadUntil - DISORDER_SECONDS, isPatient ? -Infinity : now - LOG_PATIENCE_SECONDS);
    const used = Math.max(this.#usageReadUntil, now - USAGE_PATIENCE_SECONDS);
    const last = windowOf(Math.min(logged, used, now)) - WINDOW_SECONDS;
    if (last <= this.#closed) return;
    this.#closed = last;
    const ended = [...this.#windows].filter(([start]) => start <= last).toSorted(([a], [b]) => a - b);
    for (const [start, window] of ended) {
      this.#windows.delete(start);
      this.#onClosed(windowMessage(start, window));
    }
  }

  /** The app was purged. */
  forget(appId: string): void {
    for (const { requests } of this.#windows.values()) requests.delete(appId);
  }

  #window(start: number): OpenWindow {
    const window = this.#windows.get(start) ?? { requests: new Map(), usage: new Map() };
    this.#windows.set(start, window);
    return window;
  }
}

function windowMessage(start: number, { requests, usage }: OpenWindow): MetricsWindow {
  const appIds = [...new Set([...requests.keys(), ...usage.keys()])];
  const apps = appIds.map((appId) => sampleMessage(appId, requests.get(appId) ?? noRequests(), usage.get(appId)));
  return create(MetricsWindowSchema, { start: timestampFromMs(start * 1000), apps });
}

function sampleMessage(appId: string, requests: AnsweredRequests, used: AppUsage | undefined) {
  return { appId, ...requests, ...(used && { usage: usageMessage(used) }) };
}

function usageMessage({ cpuMs, restarts, ...used }: AppUsage) {
  return {
    cpuMilliseconds: cpuMs,
    restarts,
    memoryBytes: BigInt(used.memoryBytes),
    memoryBytesMax: BigInt(used.memoryBytesMax),
    networkBytesIn: BigInt(used.networkBytesIn),
    networkBytesOut: BigInt(used.networkBytesOut),
  };
}

function secondsOf(time: Date): number {
  return time.getTime() / 1000;
}
