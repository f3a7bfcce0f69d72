import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { FormerLogs } from "./former-logs.ts";

const INTERVAL_MS = 60 * 60_000;

interface Options {
  formerLogs: FormerLogs;
  clock: Clock;
  log: Logger;
}

/** Forgets logs of former containers after their time; resolves when the signal aborts. */
export async function keepFormerLogsPruned({ formerLogs, clock, log }: Options, signal: AbortSignal): Promise<void> {
  const failing = "logs of former containers are not removed yet";
  await repeat({ everyMs: INTERVAL_MS, failing, work: () => formerLogs.prune(clock.now()), clock, log }, signal);
}
