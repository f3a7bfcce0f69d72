import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { evacuateServer } from "../lifecycle/evacuation/evacuate-server.ts";
import { readEvacuationView } from "../lifecycle/evacuation/evacuation-view.ts";
import { byCommand } from "../platform/audit.store.ts";
import type { Db } from "../platform/database/database.ts";

const LOOK_MS = 500;
/** A control plane begins within seconds, or says what it waits for. */
const BEGIN_MS_MAX = 60_000;

/**
 * Has the control plane move every app off the server, and waits until it has ended; it goes on when the command is interrupted.
 * @param tell given a line whenever it has come further
 * @returns how many apps have moved
 * @throws SvcError not_found, invalid_request; internal with the reason for which it has stopped
 */
export async function evacuate(db: Db, name: string, tell: (line: string) => void): Promise<number> {
  await evacuateServer(db, name, byCommand);
  const asked = Date.now();
  for (let told = ""; ; await systemClock.sleep(LOOK_MS)) {
    const { evacuation } = await readEvacuationView(db, name);
    const { state, moved, left, moving, reason } = evacuation;
    const doing = moving === null ? (reason ?? "") : `moving ${moving}`;
    const line = `${name}: ${moved} moved, ${left} left${doing && `; ${doing}`}`;
    if (line !== told) tell(line);
    told = line;
    if (state === "done") return moved;
    if (moved === 0 && doing === "" && Date.now() - asked > BEGIN_MS_MAX) {
      throw new SvcError(
        "internal",
        `No control plane has begun to evacuate ${name} within a minute: start one, and it does so.`,
      );
    }
    if (state === "stopped") {
      throw new SvcError(
        "internal",
        `${name} is drained, and not evacuated. Moved: ${moved}; left on it: ${left}. ${reason} Repeat the command to go on.`,
      );
    }
  }
}
