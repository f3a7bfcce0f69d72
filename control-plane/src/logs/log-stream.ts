import { toSvcError } from "@svc/shared/errors.ts";
import { HEARTBEAT_MS, STILL_HERE } from "../platform/stream-heartbeat.ts";
import { orPause } from "../platform/with-pauses.ts";
import type { LogBatch } from "./read-logs.ts";

export interface LogStreamOptions {
  /** Is aborted when the process stops: a stream would otherwise keep it from ending. */
  closing: AbortSignal;
  heartbeatMs?: number;
  /** Is called when the stream has ended, whoever ended it. */
  onEnd(): void;
}

/**
 * Batches of log lines as server-sent events. The next batch is asked for when the client has taken the one before, so
 * that a slow reader costs one batch; it ends with the source, the client or the process.
 * @param source ends when the signal that it is given aborts
 */
export function logStream(
  { closing, heartbeatMs = HEARTBEAT_MS, onEnd }: LogStreamOptions,
  source: (signal: AbortSignal) => AsyncGenerator<LogBatch>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  ended.signal.addEventListener("abort", onEnd, { once: true });
  // Even of a stream that nobody reads any more.
  closing.addEventListener("abort", () => ended.abort(), { once: true, signal: ended.signal });
  const batches = source(ended.signal);
  /** Is asked for and not here yet. */
  let next: Promise<IteratorResult<LogBatch>> | undefined;
  let isCanceled = false;

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        next ??= batches.next();
        const result = await orPause(next, heartbeatMs);
        if (result === "pause") return send(STILL_HERE);
        next = undefined;
        if (!result.done) return send(event("log", result.value));
        if (!ended.signal.aborted) send(event("end", {}));
      } catch (error) {
        if (isCanceled) return;
        const { code, message } = toSvcError(error);
        if (!closing.aborted)
          send(event("error", { error: code, ...(code === "internal" ? {} : { detail: message }) }));
      }
      ended.abort();
      if (!isCanceled) controller.close();
    },
    cancel() {
      isCanceled = true;
      ended.abort();
      next?.catch(() => undefined);
    },
  });
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
