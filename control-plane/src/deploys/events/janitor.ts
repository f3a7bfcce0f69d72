import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { startRepeating } from "@svc/shared/platform/repeat.ts";
import { deleteExpiredIdentity } from "../../accounts/identity/delete-expired.ts";
import { deleteEndedKeys } from "../../accounts/keys/delete-ended-keys.ts";
import { deleteOldAudit } from "../../platform/audit.store.ts";
import type { Db } from "../../platform/database/database.ts";
import {
  deleteDeploysBeyondKept,
  deleteOldDeployEvents,
  deletePurgedDeploys,
  dropLogsOverBudget,
  dropOutputsOverBudget,
} from "./deploy-retention.store.ts";
import { deleteExpiredKeys } from "../../platform/http/idempotency.store.ts";

/** A purge leaves secrets, though sealed; a look that finds nothing costs milliseconds. */
const INTERVAL_MS = 60_000;
/** Each batch is done within some 20 ms, so that it holds up nobody. */
const BATCH_ROWS = 1_000;

interface Chore {
  what: string;
  /** Removes about so many rows in a transaction, and says how many in all; 0 when there are none left. */
  remove(db: Db, limit: number, signal: AbortSignal): Promise<number>;
}

const CHORES: readonly Chore[] = [
  { what: "deploys of purged apps", remove: deletePurgedDeploys },
  { what: "logs beyond their budget", remove: (db, limit, signal) => dropLogsOverBudget(db, limit, { signal }) },
  { what: "outputs beyond their budget", remove: (db, _limit, signal) => dropOutputsOverBudget(db, { signal }) },
  { what: "events of old deploys", remove: deleteOldDeployEvents },
  { what: "deploys beyond an app's newest", remove: deleteDeploysBeyondKept },
  { what: "expired idempotency keys", remove: deleteExpiredKeys },
  { what: "expired sessions and links", remove: deleteExpiredIdentity },
  { what: "keys that ended long ago", remove: deleteEndedKeys },
  { what: "old audit entries", remove: (db, limit) => deleteOldAudit(db, limit) },
];

/** Removes what is beyond the bounds of decision 015, once. Returns how many rows, of which kind. */
export async function tidyUp(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const removed: Record<string, number> = {};
  for (const { what, remove } of CHORES) {
    try {
      for (let rows = -1; rows !== 0 && !signal.aborted;) {
        rows = await remove(db, BATCH_ROWS, signal);
        if (rows > 0) removed[what] = (removed[what] ?? 0) + rows;
      }
    } catch (error) {
      log.warn({ err: error, what }, "what nobody can use any more could not be removed");
    }
  }
  return removed;
}

/** Removes what nobody can use any more. Any number of processes may do so at once. */
export function startJanitor({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const failing = "what nobody can use any more could not be removed";
  const work = async (signal: AbortSignal): Promise<void> => {
    const removed = await tidyUp({ db, log }, signal);
    if (Object.keys(removed).length > 0) log.debug({ removed }, "removed what nobody can use any more");
  };
  return startRepeating("janitor", { everyMs: INTERVAL_MS, failing, work, clock, log });
}
