import { toSvcError } from "@svc/shared/errors.ts";
import type { LogBatch } from "../operations/read-logs.ts";

export interface LogStreamParts {
  /** Aborted when the process stops: a stream would otherwise keep it from ending. */
  closing: AbortSignal;
  /** Proxies close connections that are silent for half a minute or longer. */
  heartbeatMs?: number;
}

const HEARTBEAT_MS = 15_000;

/**
 * Batches of log lines as server-sent events. The next batch is asked for when the client has taken the one before, so
 * that a slow reader costs one batch; it ends with the source, the client or the process.
 * @param source ends when the signal that it is given aborts
 */
export function logStream(
  { closing, heartbeatMs = HEARTBEAT_MS }: LogStreamParts,
  source: (signal: AbortSignal) => AsyncGenerator<LogBatch>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  const batches = source(AbortSignal.any([closing, ended.signal]));
  /** Asked for and not here yet. */
  let next: Promise<IteratorResult<LogBatch>> | undefined;

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string): void => controller.enqueue(encoder.encode(text));
      try {
        next ??= batches.next();
        const result = await within(next, heartbeatMs);
        if (result === "silence") return send(": still here\n\n");
        next = undefined;
        if (!result.done) return send(event("log", result.value));
        send(event("end", {}));
      } catch (error) {
        if (ended.signal.aborted) return;
        const { code, message } = toSvcError(error);
        if (!closing.aborted)
          send(event("error", { error: code, ...(code === "internal" ? {} : { detail: message }) }));
      }
      controller.close();
    },
    cancel() {
      ended.abort();
      next?.catch(() => undefined);
    },
  });
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | "silence"> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => (timer = setTimeout(resolve, ms, "silence")));
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
