import { STEP_SECONDS } from "@svc/shared/rules/step-limits.ts";
import { SvcError } from "@svc/shared/errors.ts";

/** The limit for what the engine answers from memory. A status is asked for every few seconds and has to come. */
export const ASK_MS_MAX = 10_000;

/** The limit for what the engine does on its disk: on a slow one, minutes; a container's grace period comes on top. */
export const CHANGE_MS_MAX = 180_000;

/** Making a container may begin with fetching its image; the sentence about it comes before the step's own limit. */
export const RUN_MS_MAX = (STEP_SECONDS.provision_db - 15) * 1000;

/**
 * Settles as `work` does. Past the limit, the work goes on and nobody waits for it.
 * @throws SvcError engine_unavailable after `ms`
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate(ms)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function tooLate(ms: number): SvcError {
  return new SvcError(
    "engine_unavailable",
    `The server's container engine did not answer within ${Math.round(ms / 1000)} s. Look at Docker on the server ` +
      "(its log, its disk), then try again.",
  );
}
