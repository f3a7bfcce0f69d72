import { setTimeout as delay } from "node:timers/promises";
import { logFile, requireAlive } from "./daemons.ts";
import type { Installation } from "./installation.ts";
import { followLog } from "./log-view.ts";
import { say } from "./progress.ts";
import type { OwnDaemons } from "./up.ts";

const CHECK_MS = 1000;

/** Shows the daemons' logs until the signal. @throws TakenOver, SetupError when one of them ends by itself */
export async function showLogs(installation: Installation, daemons: OwnDaemons, signal: AbortSignal): Promise<void> {
  say("The daemons' logs follow. Ctrl-C stops the daemons and leaves the apps running.\n");
  const ends = (["control-plane", "agent"] as const).map((name) => followLog(name, logFile(installation, name), say));
  try {
    while (!signal.aborted) {
      for (const [name, daemon] of daemons) requireAlive(installation, name, daemon);
      await delay(CHECK_MS, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  } finally {
    for (const end of ends) end();
  }
}
