import { HEARTBEAT_MS, STILL_HERE } from "../../platform/stream-heartbeat.ts";
import type { DeployFeeds } from "./deploy-feeds.ts";

export interface EventStreamTiming {
  /** The slow look for events whose notification was lost. */
  pollMs: number;
  heartbeatMs: number;
}

export const eventStreamTiming: EventStreamTiming = { pollMs: 5_000, heartbeatMs: HEARTBEAT_MS };

export interface EventStreamOptions {
  feeds: DeployFeeds;
  heartbeatMs: number;
  /** Is aborted when the process stops: a stream would otherwise keep it from ending. */
  closing: AbortSignal;
  /** Is called when it has ended, whoever ended it. */
  onEnd(): void;
}

/** Tells for how long a browser waits before it reconnects. */
const RETRY_MS = 1_000;

/**
 * The deploy's events after a number, as server-sent events, until the one that ends it. Nothing is read ahead of the
 * client: it is given the next page when it has taken the one before.
 */
export function deployEventStream(
  { feeds, heartbeatMs, closing, onEnd }: EventStreamOptions,
  deployId: string,
  after: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const feed = feeds.join(deployId);
  const left = new AbortController();
  let last = after;
  let isCanceled = false;

  function leave(): void {
    if (left.signal.aborted) return;
    left.abort();
    feed.leave();
    onEnd();
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (closing.aborted) leave();
      closing.addEventListener("abort", leave, { signal: left.signal });
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
    },
    async pull(controller) {
      const silentSince = Date.now();
      try {
        while (!left.signal.aborted) {
          const { rings } = feed;
          const page = await feed.page(last);
          if (page === "ended") break;
          if (page !== "none yet") {
            last = page.last;
            return controller.enqueue(page.bytes);
          }
          await feed.rung(rings, heartbeatMs, left.signal);
          if (Date.now() - silentSince >= heartbeatMs) return controller.enqueue(encoder.encode(STILL_HERE));
        }
      } catch (error) {
        leave();
        throw error;
      }
      leave();
      if (!isCanceled) controller.close();
    },
    cancel() {
      isCanceled = true;
      leave();
    },
  });
}
