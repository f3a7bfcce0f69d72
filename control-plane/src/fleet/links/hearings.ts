import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import { recordHearings } from "./server-links.store.ts";
import type { Db } from "../../platform/database/database.ts";

/** With the agents' 4 s between two statuses, what is written is never older than 7 s: less than the 10 s of `server_away`. */
const WRITE_MS = 2_500;

/** Notes which agents were heard of, for every process, with one statement for all of them. */
export class Hearings {
  readonly #heard = new Set<string>();

  note(serverId: string): void {
    this.#heard.add(serverId);
  }

  /** Writes what was noted, again and again, until the signal aborts. Never rejects. */
  async keepWritten({ db, clock, log }: { db: Db; clock: Clock; log: Logger }, signal: AbortSignal): Promise<void> {
    const work = async (): Promise<void> => {
      const heard = [...this.#heard];
      this.#heard.clear();
      await recordHearings(db, heard);
    };
    const failing = "could not note which agents were heard of; it is tried again";
    // An agent that could not be noted for longer would be shown as away.
    await repeat({ everyMs: WRITE_MS, retryMsMax: WRITE_MS, failing, work, clock, log }, signal);
  }
}
