import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { MetricsWindowSchema, type MetricsWindow } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { WINDOWS_KEPT_SECONDS } from "@svc/shared/rules/metrics/metrics-window.ts";
import { Changes } from "../platform/changes.ts";

/** An hour of 400 apps with requests; an app takes some 100 bytes a window. */
const BYTES_MAX = 16 * 1024 * 1024;

/** The most in one message (agent.proto). */
const MESSAGE_WINDOWS_MAX = 60;
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** A watcher looks again this often in any case. Milliseconds. */
const LOOK_MS = 60_000;

interface KeptWindow {
  /** Seconds since 1970. */
  start: number;
  /** Raised with each window that is added. */
  number: number;
  /** The message, which takes a fifth of the memory in this way. */
  bytes: Uint8Array;
}

/** The last hour of windows, in memory. */
export class SampleHistory {
  readonly #changes = new Changes();
  readonly #bytesMax: number;
  #kept: KeptWindow[] = [];
  #bytes = 0;
  #number = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Adds a window that has ended. What is an hour older than it is forgotten, and the oldest beyond 16 MiB. */
  add(window: MetricsWindow): void {
    const start = window.start ? timestampMs(window.start) / 1000 : 0;
    const bytes = toBinary(MetricsWindowSchema, window);
    this.#kept.push({ start, bytes, number: ++this.#number });
    this.#bytes += bytes.length;
    const from = start - WINDOWS_KEPT_SECONDS;
    while (this.#kept.length > 1 && (this.#bytes > this.#bytesMax || this.#kept[0]!.start <= from)) {
      this.#bytes -= this.#kept.shift()!.bytes.length;
    }
    this.#changes.notify();
  }

  /** Forgets what begins at that time or later: the host's clock was ahead. Seconds since 1970. */
  forgetFrom(start: number): void {
    this.#kept = this.#kept.filter((window) => window.start < start);
    this.#bytes = this.#kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /**
   * Yields the windows after the one that began at that time, then each that is added, in messages that every client
   * accepts, until the signal.
   * @param after seconds since 1970; undefined for all
   */
  async *watch(after: number | undefined, signal: AbortSignal): AsyncGenerator<MetricsWindow[]> {
    let sent = 0;
    while (!signal.aborted) {
      const next = firstMessage(this.#kept.filter(({ start, number }) => number > sent && isLater(start, after)));
      sent = next.at(-1)?.number ?? this.#number;
      if (next.length > 0) yield next.map(({ bytes }) => fromBinary(MetricsWindowSchema, bytes));
      else await this.#changes.next(LOOK_MS, signal);
    }
  }
}

function isLater(start: number, after: number | undefined): boolean {
  return after === undefined || start > after;
}

function firstMessage(windows: readonly KeptWindow[]): readonly KeptWindow[] {
  let bytes = 0;
  const end = windows.findIndex((window) => (bytes += window.bytes.length) > MESSAGE_BYTES_MAX);
  return windows.slice(0, Math.min(MESSAGE_WINDOWS_MAX, end === -1 ? windows.length : Math.max(1, end)));
}
