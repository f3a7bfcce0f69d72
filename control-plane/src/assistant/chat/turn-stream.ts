import { HEARTBEAT_MS, STILL_HERE } from "../../platform/stream-heartbeat.ts";
import type { Emit } from "./answer.ts";

/**
 * The events of a turn, as server-sent events, while `work` makes them. The signal tells work that its listener has gone; what it does
 * then is its own.
 * @param closing is aborted when the process stops
 * @param work never rejects
 */
export function turnStream(
  closing: AbortSignal,
  work: (emit: Emit, signal: AbortSignal) => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const left = new AbortController();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      const emit: Emit = (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      const heartbeat = setInterval(() => write(STILL_HERE), HEARTBEAT_MS).unref();
      void work(emit, AbortSignal.any([left.signal, closing])).finally(() => {
        clearInterval(heartbeat);
        emit("done", {});
        if (!left.signal.aborted) controller.close();
      });
    },
    cancel() {
      left.abort();
    },
  });
}
