import { create, toJsonString } from "@bufbuild/protobuf";
import { StatusSchema, type Status } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Changes } from "../platform/changes.ts";
import { FRESH_MS, type StatusCollector } from "./collector.ts";

/** The engine's events may be lost; this is how long a watcher may not know. Milliseconds. */
const LOOK_MS = 5000;

/** A burst of changes makes one status. Milliseconds. */
const SETTLE_MS = 100;

/** A status at once, then one whenever something of note changes and at least every `intervalMs`, until the signal. */
export async function* watchStatus(
  collector: StatusCollector,
  changes: Changes,
  intervalMs: number,
  signal: AbortSignal,
): AsyncGenerator<Status> {
  let [sent, sentAt] = ["", 0];
  let lookMs = LOOK_MS;
  while (!signal.aborted) {
    const status = await collector.collect();
    const note = ofNote(status);
    if (performance.now() - sentAt >= intervalMs || sentAt === 0 || note !== sent) {
      [sent, sentAt] = [note, performance.now()];
      yield status;
    }
    const untilDue = Math.max(1, sentAt + intervalMs - performance.now());
    const from = performance.now();
    const isNews = await changes.next(Math.min(lookMs, untilDue), signal);
    if (performance.now() - from < SETTLE_MS) await changes.next(SETTLE_MS, signal);
    // The look that is shared may be of before the news.
    lookMs = isNews ? FRESH_MS : LOOK_MS;
  }
}

/** The status without what always moves: clock, CPU, memory, disks, and the lease, which is renewed all the time. */
function ofNote({ agentVersion, engine, proxy, lock, apps, stoppedApps, lastErrors, takenBack }: Status): string {
  const held = lock && { holder: lock.holder, step: lock.step };
  return toJsonString(
    StatusSchema,
    create(StatusSchema, { agentVersion, engine, proxy, lock: held, apps, stoppedApps, lastErrors, takenBack }),
  );
}
