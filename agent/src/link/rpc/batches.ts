import type { StepEvent } from "@svc/shared/gen/svc/agent/v1/events_pb.ts";

/** At most this many log lines in one message (agent.proto, RunStepResponse). */
const LINES_MAX = 500;

/** This is far below the 4 MiB that gRPC clients accept by default. */
const BYTES_MAX = 1024 * 1024;

/** The events in the same order, in messages that every client accepts; none is empty. */
export function* inMessages(events: readonly StepEvent[]): Generator<StepEvent[]> {
  let message: StepEvent[] = [];
  let [lines, bytes] = [0, 0];
  for (const event of events) {
    const added = event.body.case === "logLines" ? event.body.value.lines : [];
    const addedBytes = added.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    if (message.length > 0 && (lines + added.length > LINES_MAX || bytes + addedBytes > BYTES_MAX)) {
      yield message;
      message = [];
      [lines, bytes] = [0, 0];
    }
    message.push(event);
    lines += added.length;
    bytes += addedBytes;
  }
  if (message.length > 0) yield message;
}
