import type { Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import type { Db } from "./db/database.ts";
import { deleteExpiredKeys } from "./db/idempotency.ts";

const INTERVAL_MS = 10 * 60_000;
const BATCH_ROWS = 1_000;

/** Removes what nobody can use any more. Any number of processes may do so at once. */
export function startJanitor({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const stopping = new AbortController();

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        while ((await deleteExpiredKeys(db, BATCH_ROWS)) === BATCH_ROWS && !stopping.signal.aborted);
      } catch (error) {
        log.warn({ err: error }, "expired idempotency keys could not be removed");
      }
      await clock.sleep(INTERVAL_MS, stopping.signal).catch(() => undefined);
    }
  }

  const working = work();
  return {
    name: "janitor",
    async stop(): Promise<void> {
      stopping.abort();
      await working;
    },
  };
}
