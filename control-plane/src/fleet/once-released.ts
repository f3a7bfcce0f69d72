import type { Clock } from "@svc/shared/platform/clock.ts";
import { retry } from "@svc/shared/platform/until.ts";
import { fromAgentError } from "./agent-errors.ts";

/** Between the record of a deploy's end and the call that releases the lock are milliseconds; more is another deploy. */
const RELEASE_MS_MAX = 2_000;
const RELEASE_RETRY_MS = 50;

interface Refusal {
  /** The refusal of the agent while a deploy holds its lock. */
  code: "lock_held" | "deploy_in_progress";
  /** Whether such a deploy runs: then there is nothing to wait for. */
  isDeployRunning: () => Promise<boolean>;
}

/**
 * A deploy gives the host's lock back a moment after it says that it has ended: whoever acts upon that need not ask again.
 * @throws what the call throws
 */
export async function onceReleased(clock: Clock, refusal: Refusal, call: () => Promise<unknown>): Promise<void> {
  await retry(call, {
    mayPass: async (error) => fromAgentError(error).code === refusal.code && !(await refusal.isDeployRunning()),
    pauseMs: RELEASE_RETRY_MS,
    msMax: RELEASE_MS_MAX,
    clock,
  });
}
