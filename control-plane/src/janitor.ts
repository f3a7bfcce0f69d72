import type { Clock } from "@svc/shared/clock.ts";
import type { Logger } from "@svc/shared/logger.ts";
import type { Db } from "./db/database.ts";
import { deleteOldDeployEvents } from "./db/deploy-events.ts";
import { deleteExpiredKeys } from "./db/idempotency.ts";

const INTERVAL_MS = 10 * 60_000;
const BATCH_ROWS = 1_000;

/** Each removes at most so many rows, and says how many it did. */
const CHORES: readonly { what: string; remove(db: Db, limit: number): Promise<number> }[] = [
  { what: "expired idempotency keys", remove: deleteExpiredKeys },
  { what: "events of old deploys", remove: deleteOldDeployEvents },
];

/** Removes what nobody can use any more. Any number of processes may do so at once. */
export function startJanitor({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const stopping = new AbortController();

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const { what, remove } of CHORES) {
        try {
          while (!stopping.signal.aborted && (await remove(db, BATCH_ROWS)) === BATCH_ROWS);
        } catch (error) {
          log.warn({ err: error, what }, "what nobody can use any more could not be removed");
        }
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
