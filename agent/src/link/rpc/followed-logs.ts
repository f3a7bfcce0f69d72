import { SvcError } from "@svc/shared/errors.ts";
import { LogSource } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { AppRef } from "../../ports.ts";

/**
 * The most followers of each of an app's two logs: a control plane follows it once, for all who look at it; the others
 * are for operators, and for a link that is being replaced, whose calls go on for a while.
 */
export const FOLLOWED_MAX = 8;

/** Counts who follows a log of an app: each costs a stream of the engine. */
export class FollowedLogs {
  readonly #byLog = new Map<string, number>();

  /** Takes a place, until what it returns is called. @throws SvcError too_many_streams */
  take({ id, name }: AppRef, source: LogSource): () => void {
    const log = `${id} ${source === LogSource.ACCESS ? "access" : "container"}`;
    const taken = this.#byLog.get(log) ?? 0;
    if (taken >= FOLLOWED_MAX) {
      throw new SvcError(
        "too_many_streams",
        `${taken} calls follow this log of ${name}: end one of them, then try again.`,
      );
    }
    this.#byLog.set(log, taken + 1);
    return () => {
      const left = this.#byLog.get(log)! - 1;
      if (left > 0) this.#byLog.set(log, left);
      else this.#byLog.delete(log);
    };
  }
}
