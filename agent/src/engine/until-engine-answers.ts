import type { Clock } from "@svc/shared/platform/clock.ts";
import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import type { Engine } from "../ports.ts";

/** systemd starts an engine 2 s after it was killed, and one that has many containers needs some seconds more. */
const START_MS_MAX = 30_000;
/** Before it answers, it stops each container that it finds half started: one that does not end takes its whole grace. */
const ENGINE_MS_MAX = START_MS_MAX + 1000 * Math.max(...Object.values(GRACE_SECONDS));
const POLL_MS = 250;

export interface EngineWait {
  clock: Clock;
  signal: AbortSignal;
  /** Once, when it is not there at first. */
  onWait: () => void;
}

/** Waits for an engine that is being started again. @throws SvcError engine_unavailable after 60 s; the signal's reason */
export async function untilEngineAnswers(
  engine: Pick<Engine, "ping">,
  { clock, signal, onWait }: EngineWait,
): Promise<void> {
  const deadline = clock.now().getTime() + ENGINE_MS_MAX;
  for (let looks = 0; ; looks += 1) {
    try {
      await engine.ping();
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (clock.now().getTime() >= deadline) throw error;
    }
    if (looks === 0) onWait();
    await clock.sleep(POLL_MS, signal);
  }
}
